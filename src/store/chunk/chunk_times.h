// SPDX-License-Identifier: Apache-2.0
//
// Parts of a chunk that some questions need nothing but: when its rows were and what they cost, for
// heat maps, and the links it has, for questions about spans. Each takes a quarter of the time and
// of the memory of all columns, or less.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "store/chunk/chunk.h"

namespace flarestack::store {

struct ChunkTimes {
  std::vector<uint64_t> times;  // of rows, in their order
  std::vector<int64_t> values;  // of rows; empty where all have the same
  int64_t value_of_all = 1;

  int64_t ValueOf(size_t row) const { return values.empty() ? value_of_all : values[row]; }
};

struct ChunkLinks {
  std::vector<ChunkLink> links;
  std::vector<ChunkProfile> profiles;
  uint64_t rows = 0;
};

// kDataLoss when the bytes are no chunk. What is not needed is not looked at: DecodeChunk finds
// more faults.
absl::Status ReadChunkTimes(std::string_view bytes, ChunkTimes* times);
absl::Status ReadChunkLinks(std::string_view bytes, ChunkLinks* links);

}  // namespace flarestack::store
