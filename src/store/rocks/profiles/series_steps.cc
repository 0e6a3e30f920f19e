// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/profiles/series_steps.h"

#include <algorithm>
#include <optional>

#include "base/helper_pool.h"
#include "base/status.h"
#include "store/rocks/database/keys.h"
#include "store/rocks/profiles/chunk_scan.h"
#include "store/rocks/profiles/rolled_totals.h"
#include "store/rocks/profiles/row_filter.h"

namespace flarestack::store::rocks {
namespace {

// The hours of the range that may have samples; nullopt if there are none.
std::optional<HourSpan> HoursOf(const Database& database, TimeRange range) {
  const std::optional<HourSpan> stored = StoredHours(database);
  if (!stored.has_value() || range.from >= range.to)
    return std::nullopt;
  const HourSpan hours = {.first = std::max(stored->first, HourOf(range.from)),
                          .last = std::min(stored->last, HourOf(range.to - 1))};
  return hours.first <= hours.last ? std::optional(hours) : std::nullopt;
}

// Adds the totals from roll-ups, many series at a time.
absl::Status AddTotals(const Database& database, const SeriesStepsRequest& request, HourSpan hours,
                       const ReadControl& control, std::vector<StepSums>* sums) {
  constexpr size_t kSeriesPerWalk = 64;
  std::vector<uint32_t> numbers;
  numbers.reserve(request.series.size());
  for (const StoredSeries& series : request.series)
    numbers.push_back(series.number);
  const size_t walks = (numbers.size() + kSeriesPerWalk - 1) / kSeriesPerWalk;
  return base::ParallelFor(walks, [&](size_t walk) {
    const size_t begin = walk * kSeriesPerWalk;
    const size_t count = std::min(kSeriesPerWalk, numbers.size() - begin);
    const TotalsRequest of_walk = {.grid = StepGrid(request.range, request.step_nanos),
                                   .hours = hours,
                                   .series = std::span(numbers).subspan(begin, count)};
    return AddRolledTotals(database, of_walk, control, std::span(*sums).subspan(begin, count));
  });
}

}  // namespace

absl::StatusOr<std::vector<StepSums>> SumSeriesSteps(const Database& database,
                                                     const SeriesStepsRequest& request,
                                                     const RowsWanted& rows, ReadControl* control) {
  std::vector<StepSums> sums(request.series.size());
  for (StepSums& one : sums)
    one.counts_profiles = request.counts_profiles;
  const std::optional<HourSpan> hours = HoursOf(database, request.range);
  if (!hours.has_value())
    return sums;
  if (request.without_stacks && rows.are_all())
    FLARE_RETURN_IF_ERROR(AddTotals(database, request, *hours, *control, &sums));
  const auto sum = [&](size_t i) -> absl::Status {
    if (control->is_stopped())
      return absl::OkStatus();
    RowFilter filter(database, rows.query, rows.sample_matchers);
    const StepRequest of_series = {.sum = {.series = request.series[i].number,
                                           .range = request.range,
                                           .can_use_rollups = rows.are_all()},
                                   .hours = *hours,
                                   .step = request.step_nanos,
                                   .without_stacks = request.without_stacks};
    FLARE_RETURN_IF_ERROR(SumSteps(database, of_series, &filter, control, &sums[i]));
    const uint64_t values =
        sums[i].by_stack.size() + sums[i].of_all.size() + sums[i].profiles.size();
    FLARE_RETURN_IF_ERROR(control->Hold(values * ReadControl::kEvent));
    control->OnProgress(0, 1);
    return absl::OkStatus();
  };
  FLARE_RETURN_IF_ERROR(base::ParallelFor(request.series.size(), sum));
  return sums;
}

}  // namespace flarestack::store::rocks
