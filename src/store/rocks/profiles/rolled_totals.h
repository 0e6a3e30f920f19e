// SPDX-License-Identifier: Apache-2.0
//
// Charts of many series out of the roll-ups of their totals. Those of one hour stand side by side,
// so that one walk reads them for all series.
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
  HourSpan hours;                    // those of the range that have samples
  std::span<const uint32_t> series;  // ascending
};

// Adds what the hours that have a roll-up cost to `of_all` of each series, and notes them in
// `rolled_hours`. Ends early when `control` says so. `sums` has one entry for each series.
absl::Status AddRolledTotals(const Database& database, const TotalsRequest& request,
                             const ReadControl& control, std::span<StepSums> sums);

}  // namespace flarestack::store::rocks
