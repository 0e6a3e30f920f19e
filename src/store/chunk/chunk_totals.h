// SPDX-License-Identifier: Apache-2.0
//
// What a chunk that is wanted from end to end adds up to. Tens of times smaller than its rows, and
// told without the times, links and attributes of them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "store/chunk/chunk.h"
#include "store/chunk/stack_sums.h"

namespace flarestack::store {

struct ChunkTotals {
  StackSums sums;  // without the profiles, which several chunks may tell of
  std::vector<ChunkProfile> profiles;
  uint64_t rows = 0;
  bool is_exact = false;  // no sum came near its limits, so that rows may be taken off it
};

// kDataLoss when the bytes are no chunk. What is not needed is not looked at: DecodeChunk finds
// more faults.
absl::Status AddUpChunk(std::string_view bytes, ChunkTotals* totals);

}  // namespace flarestack::store
