// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/profiles/gauge_average.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/status.h"
#include "model/gauge_type.h"
#include "store/chunk/presence.h"
#include "store/rocks/database/keys.h"
#include "store/rocks/profiles/chunk_scan.h"

namespace flarestack::store::rocks {
namespace {

// How long a single snapshot counts: profilers take one every 10 seconds to 5 minutes.
constexpr uint64_t kSingleSnapshotNanos = 5 * kNanosPerMinute;

// More cells do not make an average more accurate.
constexpr uint64_t kCellsMax = 2000;

// Carrying the values of every stack into following steps produces many values. For steps shorter
// than this, only totals are carried.
constexpr uint64_t kShortestCarriedStep = 1'000'000'000;

int64_t Scale(int64_t value, double factor) {
  const double scaled = std::round(static_cast<double>(value) * factor);
  constexpr double kMax = 9.2e18;  // a little less than INT64_MAX
  return static_cast<int64_t>(std::clamp(scaled, -kMax, kMax));
}

double PerSnapshot(uint64_t profiles) {
  return 1.0 / static_cast<double>(std::max<uint64_t>(1, profiles));
}

// For each step, the step whose snapshots it shows; nullopt if the instance was absent.
std::vector<std::optional<uint32_t>> SourcesOf(const StepSums& sums, uint64_t step_nanos) {
  const auto count = static_cast<uint32_t>(sums.profiles.size());
  Presence presence(count);
  for (uint32_t step = 0; step < count; ++step) {
    if (sums.profiles[step] != 0)
      presence.Mark(step);
  }
  // Two intervals, because the newest snapshot may still be in transit.
  const std::vector<bool> covered =
      presence.Covered({.intervals = 2,
                        .cells_of_single = static_cast<uint32_t>(std::clamp<uint64_t>(
                            kSingleSnapshotNanos / step_nanos, 1, UINT32_MAX))});
  std::vector<std::optional<uint32_t>> sources(count);
  uint32_t last = 0;
  for (uint32_t step = 0; step < count; ++step) {
    if (presence.IsMarked(step))
      last = step;
    if (covered[step])
      sources[step] = last;
  }
  return sources;
}

}  // namespace

bool IsGauge(const StoredSeries& series) {
  const model::Batch& envelope = series.envelope;
  return model::IsGaugeType(envelope.dictionary.Text(envelope.profiles[0].sample_type.type));
}

uint32_t StepsBefore(uint64_t step_nanos) {
  const uint64_t steps = (kSingleSnapshotNanos + step_nanos - 1) / step_nanos;
  return static_cast<uint32_t>(std::min<uint64_t>(steps, UINT16_MAX));
}

void AverageSteps(uint64_t step_nanos, uint32_t steps_before, StepSums* sums) {
  const std::vector<std::optional<uint32_t>> sources = SourcesOf(*sums, step_nanos);
  const auto count = static_cast<uint32_t>(sources.size());
  const uint32_t first = std::min(steps_before, count);
  if (!sums->of_all.empty()) {
    std::vector<int64_t> averages(count - first, 0);
    for (uint32_t step = first; step < count; ++step) {
      if (sources[step].has_value())
        averages[step - first] =
            Scale(sums->of_all[*sources[step]], PerSnapshot(sums->profiles[*sources[step]]));
    }
    sums->of_all = std::move(averages);
  }
  std::vector<std::vector<uint32_t>> shown_in(count);  // by source, the steps that show it
  for (uint32_t step = first; step < count; ++step) {
    if (sources[step].has_value() && (*sources[step] == step || step_nanos >= kShortestCarriedStep))
      shown_in[*sources[step]].push_back(step - first);
  }
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, int64_t> by_stack;
  for (const auto& [stack_and_step, value] : sums->by_stack) {
    const auto [stack, from] = stack_and_step;
    for (const uint32_t step : shown_in[from])
      by_stack[{stack, step}] = Scale(value, PerSnapshot(sums->profiles[from]));
  }
  sums->by_stack = std::move(by_stack);
  sums->profiles.erase(sums->profiles.begin(), sums->profiles.begin() + first);
}

absl::StatusOr<std::vector<double>> ReadSharesOfTime(const Database& database,
                                                     std::span<const StoredSeries> series,
                                                     const ProfileQuery& query,
                                                     ReadControl* control) {
  const std::optional<HourSpan> stored = StoredHours(database);
  if (!stored.has_value() || series.size() < 2)
    return std::vector<double>(series.size(), 1);
  // Round to whole minutes, so that roll-ups can be used.
  const uint64_t from = std::max(query.range.from / kNanosPerMinute * kNanosPerMinute,
                                 uint64_t{stored->first} * kNanosPerHour);
  const uint64_t stored_end = (uint64_t{stored->last} + 1) * kNanosPerHour;
  const uint64_t to = query.range.to >= stored_end ? stored_end
                                                   : (query.range.to + kNanosPerMinute - 1) /
                                                         kNanosPerMinute * kNanosPerMinute;
  if (from >= to)
    return std::vector<double>(series.size(), 1);
  const uint64_t minutes = (to - from) / kNanosPerMinute;
  const uint64_t minutes_per_cell = (minutes + kCellsMax - 1) / kCellsMax;
  const SeriesStepsRequest request = {.series = series,
                                      .range = {.from = from, .to = to},
                                      .step_nanos = minutes_per_cell * kNanosPerMinute,
                                      .without_stacks = true,
                                      .counts_profiles = true};
  const ProfileQuery all_rows;
  const std::vector<Matcher> no_matchers;
  FLARE_ASSIGN(const std::vector<StepSums> steps,
               SumSeriesSteps(database, request,
                              {.query = all_rows, .sample_matchers = no_matchers}, control));
  std::vector<std::vector<bool>> covered;
  for (const StepSums& one : steps) {
    Presence presence(static_cast<uint32_t>(one.profiles.size()));
    for (uint32_t cell = 0; cell < presence.cell_count(); ++cell) {
      if (one.profiles[cell] != 0)
        presence.Mark(cell);
    }
    covered.push_back(presence.Covered({.cells_of_single = static_cast<uint32_t>(std::max<uint64_t>(
                                            1, kSingleSnapshotNanos / request.step_nanos))}));
  }
  return SharesOfTime(covered);
}

void AverageSums(double share, StackSums* sums) {
  const double factor = share * PerSnapshot(sums->profile_count);
  for (StackSum& sum : sums->stacks)
    sum.value = Scale(sum.value, factor);
}

}  // namespace flarestack::store::rocks
