// SPDX-License-Identifier: Apache-2.0
//
// The totals of a whole chunk. Tens of times smaller than its rows, and computed without decoding
// their times, links and attributes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "store/chunk/chunk.h"
#include "store/chunk/stack_sums.h"

namespace flarestack::store {

struct ChunkTotals {
  StackSums sums;  // without the profiles, which may occur in several chunks
  std::vector<ChunkProfile> profiles;
  uint64_t rows = 0;
  bool is_exact = false;  // no sum can have saturated, so rows may be subtracted from it
};

// Returns kDataLoss if the bytes are not a chunk. Skipped columns are not validated: DecodeChunk
// finds more faults.
absl::Status AddUpChunk(std::string_view bytes, ChunkTotals* totals);

}  // namespace flarestack::store
