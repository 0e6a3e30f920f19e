// SPDX-License-Identifier: Apache-2.0
//
// The value of each of many series in each step of a range: total roll-ups for all of them in
// shared scans, the rest series by series on all cores.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "store/rocks/database/database.h"
#include "store/rocks/database/read_control.h"
#include "store/rocks/profiles/series_index.h"
#include "store/rocks/profiles/step_sums.h"

namespace flarestack::store::rocks {

struct SeriesStepsRequest {
  std::span<const StoredSeries> series;  // by number, ascending
  TimeRange range;
  uint64_t step_nanos = 0;
  bool without_stacks = false;
  bool counts_profiles = false;
};

// Which rows count. `query` has the spans; `sample_matchers` apply to attributes of samples.
struct RowsWanted {
  const ProfileQuery& query;
  const std::vector<Matcher>& sample_matchers;

  bool are_all() const { return query.spans.empty() && sample_matchers.empty(); }
};

// Returns one entry per series. Stops early when `control` is stopped. Each series is one part of
// the progress.
absl::StatusOr<std::vector<StepSums>> SumSeriesSteps(const Database& database,
                                                     const SeriesStepsRequest& request,
                                                     const RowsWanted& rows, ReadControl* control);

}  // namespace flarestack::store::rocks
