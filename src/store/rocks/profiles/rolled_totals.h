// SPDX-License-Identifier: Apache-2.0
//
// Computes charts of many series from the roll-ups of their totals. The totals of one hour are
// adjacent, so one scan reads them for all series.
#pragma once

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "store/rocks/database/database.h"
#include "store/rocks/database/read_control.h"
#include "store/rocks/profiles/chunk_scan.h"
#include "store/rocks/profiles/step_grid.h"
#include "store/rocks/profiles/step_sums.h"

namespace flarestack::store::rocks {

struct TotalsRequest {
  StepGrid grid;
  HourSpan hours;                    // hours of the range that have samples
  std::span<const uint32_t> series;  // ascending
};

// Adds the values of the hours that have a roll-up to `of_all` of each series, and records these
// hours in `rolled_hours`. Stops early when `control` is stopped. `sums` has one entry per series.
absl::Status AddRolledTotals(const Database& database, const TotalsRequest& request,
                             const ReadControl& control, std::span<StepSums> sums);

}  // namespace flarestack::store::rocks
