// SPDX-License-Identifier: Apache-2.0
//
// What each stack of a series cost in any range of time: whole days, hours and minutes from their
// roll-ups where there are some, the rest from the chunks.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "store/chunk/stack_sums.h"
#include "store/rocks/database/database.h"
#include "store/rocks/database/read_control.h"
#include "store/rocks/profiles/row_filter.h"
#include "store/store.h"

namespace flarestack::store::rocks {

struct RangeSums {
  StackSummer summer;
  uint64_t first_nanos = UINT64_MAX;  // begin of the first hour in which the series has samples
};

// `can_use_rollups` says that all rows of the range count, whatever their link and attributes.
struct SumRequest {
  uint32_t series = 0;
  TimeRange range;
  bool can_use_rollups = true;
};
// Ends early when `control` says so.
absl::Status SumRange(const Database& database, const SumRequest& request, RowFilter* filter,
                      ReadControl* control, RangeSums* sums);

}  // namespace flarestack::store::rocks
