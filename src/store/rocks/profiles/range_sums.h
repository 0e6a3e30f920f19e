// SPDX-License-Identifier: Apache-2.0
//
// The value of each stack of a series in any time range: whole days, hours and minutes from their
// roll-ups if available, the rest from the chunks.
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
  uint64_t first_nanos = UINT64_MAX;  // start of the first hour in which the series has samples
};

// `can_use_rollups` means that all rows of the range count, regardless of link and attributes.
struct SumRequest {
  uint32_t series = 0;
  TimeRange range;
  bool can_use_rollups = true;
};
// Stops early when `control` is stopped.
absl::Status SumRange(const Database& database, const SumRequest& request, RowFilter* filter,
                      ReadControl* control, RangeSums* sums);

}  // namespace flarestack::store::rocks
