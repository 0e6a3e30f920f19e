// SPDX-License-Identifier: Apache-2.0
#include "query/diff/noise_judge.h"

#include <algorithm>
#include <cmath>

#include "query/diff/noise.h"

namespace flarestack::query {
namespace {

std::vector<double> TotalsByInstance(const StackSet& set) {
  std::vector<double> totals(set.instances.size(), 0);
  for (const StackRow& row : set.rows) {
    for (uint32_t at = row.first_part; at != InstancePart::kNone; at = set.parts[at].next)
      totals[set.parts[at].instance] += static_cast<double>(set.parts[at].value);
  }
  return totals;
}

// How the exposure of a side is distributed over its instances. Requests are not counted per
// instance, so each is assumed to have served the same number. That makes the test more
// conservative.
std::vector<double> Exposures(const StackSet& set, std::span<const double> totals, DiffNorm norm,
                              double exposure) {
  if (norm == DiffNorm::kShare)
    return {totals.begin(), totals.end()};
  std::vector<double> exposures(totals.size(), exposure / static_cast<double>(totals.size()));
  if (norm == DiffNorm::kRate) {
    std::ranges::transform(set.instances, exposures.begin(), [](const Instance& instance) {
      return static_cast<double>(instance.duration_nanos);
    });
  }
  return exposures;
}

// Returns nullopt if there are too few instances, or one has costs but no exposure.
std::optional<InstanceDraws> MakeDraws(const StackSet& set, DiffNorm norm, double exposure) {
  const std::vector<double> totals = TotalsByInstance(set);
  const std::vector<double> exposures = Exposures(set, totals, norm, exposure);
  uint32_t usable = 0;
  for (size_t i = 0; i < exposures.size(); ++i) {
    if (exposures[i] < 0 || (exposures[i] == 0 && totals[i] != 0))
      return std::nullopt;
    usable += exposures[i] > 0 ? 1 : 0;
  }
  if (usable < kBootstrapInstancesMin)
    return std::nullopt;
  return InstanceDraws(exposures);
}

int64_t EventsOf(const StackSet& set) { return SideOf(set).events; }

}  // namespace

NoiseJudge::NoiseJudge(const Sides& sides, DiffNorm norm, const Exposure& exposure)
    : norm_(norm),
      exposure_(exposure),
      events_{EventsOf(sides.before), EventsOf(sides.after)},
      totals_{sides.before.Total(), sides.after.Total()},
      draws_{MakeDraws(sides.before, norm, exposure.before),
             MakeDraws(sides.after, norm, exposure.after)} {
  if (!draws_[0].has_value() || !draws_[1].has_value()) {
    draws_[0].reset();
    draws_[1].reset();
  }
}

std::array<double, 2> NoiseJudge::WeightsOf(const Observed& observed) const {
  const auto mean = [](int64_t total, int64_t events) {
    return total > 0 && events > 0 ? static_cast<double>(total) / static_cast<double>(events) : 0;
  };
  const std::array<double, 2> of_sides = {mean(totals_[0], events_[0]),
                                          mean(totals_[1], events_[1])};
  if (of_sides[0] <= 0 || of_sides[1] <= 0)
    return {1, 1};
  std::array<double, 2> weights = {mean(observed.totals[0], observed.events[0]),
                                   mean(observed.totals[1], observed.events[1])};
  // A side without events gets the weight of the other side, scaled by the sampling rates.
  for (const size_t side : {size_t{0}, size_t{1}}) {
    const size_t other = 1 - side;
    if (weights[side] <= 0)
      weights[side] =
          weights[other] > 0 ? weights[other] * of_sides[side] / of_sides[other] : of_sides[side];
  }
  return weights;
}

double NoiseJudge::Optimistic(const Observed& observed) const {
  const auto& events = observed.events;
  const std::array<double, 2> weights = WeightsOf(observed);
  if (norm_ != DiffNorm::kShare) {
    return SplitProbability(events[0], events[1], exposure_.before / weights[0],
                            exposure_.after / weights[1]);
  }
  // How many events the whole side would have if each weighed as much as those observed.
  const auto all = [&](size_t side) {
    if (observed.totals[side] > 0 && events[side] > 0) {
      return static_cast<double>(events[side]) *
             (static_cast<double>(totals_[side]) / static_cast<double>(observed.totals[side]));
    }
    return static_cast<double>(totals_[side]) / weights[side];
  };
  return ShareProbability(events[0], all(0), events[1], all(1));
}

bool NoiseJudge::IsUnchanged(const Observed& observed) const {
  const double after = static_cast<double>(observed.totals[1]) * exposure_.before / exposure_.after;
  return std::llround(after) == observed.totals[0];
}

double NoiseJudge::Probability(const Observed& observed) const {
  if (!draws_[0].has_value())
    return Optimistic(observed);
  // If all instances agree exactly, they show no spread, and only the spread of the samples is
  // left.
  const std::optional<double> probability =
      DifferenceProbability(draws_[0]->Of(observed.values[0]), draws_[1]->Of(observed.values[1]));
  return probability.has_value() ? *probability : Optimistic(observed);
}

std::vector<Verdict> NoiseJudge::Judge(std::span<const Observed> all) const {
  std::vector<Verdict> verdicts(all.size());
  std::vector<double> probabilities;
  std::vector<size_t> judged;
  for (size_t i = 0; i < all.size(); ++i) {
    const bool is_rare = std::ranges::max(all[i].events) < kDiffEventsMin;
    // Resampling is expensive, so skip items that are too rare to be judged.
    if (is_rare && test() == NoiseTest::kBootstrap)
      continue;
    verdicts[i].probability = IsUnchanged(all[i]) ? 1 : Probability(all[i]);
    if (is_rare)
      continue;
    judged.push_back(i);
    probabilities.push_back(verdicts[i].probability);
  }
  const std::vector<bool> findings = Findings(probabilities, kFalseFindingRate);
  for (size_t i = 0; i < judged.size(); ++i)
    verdicts[judged[i]].is_significant = findings[i];
  return verdicts;
}

Verdict JudgeTotal(const Sides& sides) {
  const DiffSide ends[2] = {SideOf(sides.before), SideOf(sides.after)};
  const bool has_durations = ends[0].duration_nanos > 0 && ends[1].duration_nanos > 0;
  Exposure exposure;
  if (has_durations) {
    exposure = {.before = static_cast<double>(ends[0].duration_nanos),
                .after = static_cast<double>(ends[1].duration_nanos)};
  }
  Observed observed;
  std::vector<InstanceValue> values[2];
  for (const size_t side : {size_t{0}, size_t{1}}) {
    observed.events[side] = ends[side].events;
    observed.totals[side] = ends[side].total;
    for (const double total : TotalsByInstance(side == 0 ? sides.before : sides.after))
      values[side].push_back(
          {.instance = static_cast<uint32_t>(values[side].size()), .value = total});
    observed.values[side] = values[side];
  }
  const NoiseJudge judge(sides, has_durations ? DiffNorm::kRate : DiffNorm::kNone, exposure);
  return judge.Judge({&observed, 1})[0];
}

}  // namespace flarestack::query
