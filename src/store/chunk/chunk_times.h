// SPDX-License-Identifier: Apache-2.0
//
// Partial reads of a chunk: the times and values of its rows, for heat maps, and its links, for
// queries about spans. Each takes at most a quarter of the time and memory of decoding all columns.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "store/chunk/chunk.h"

namespace flarestack::store {

struct ChunkTimes {
  std::vector<uint64_t> times;  // of rows, in row order
  std::vector<int64_t> values;  // of rows; empty if all rows have the same value
  int64_t value_of_all = 1;

  int64_t ValueOf(size_t row) const { return values.empty() ? value_of_all : values[row]; }
};

struct ChunkLinks {
  std::vector<ChunkLink> links;
  std::vector<ChunkProfile> profiles;
  uint64_t rows = 0;
};

// Returns kDataLoss if the bytes are not a chunk. Skipped columns are not validated: DecodeChunk
// finds more faults.
absl::Status ReadChunkTimes(std::string_view bytes, ChunkTimes* times);
absl::Status ReadChunkLinks(std::string_view bytes, ChunkLinks* links);

}  // namespace flarestack::store
