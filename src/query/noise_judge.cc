// SPDX-License-Identifier: Apache-2.0
#include "query/noise_judge.h"

#include <algorithm>

#include "query/noise.h"

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

// How the exposure of a side is spread over its instances. Nobody counts requests by instance, so
// each is taken to have served the same number; that makes the test more careful, not less.
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

// Nothing when instances are too few, or one has costs but not what they are divided by.
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
      draws_{MakeDraws(sides.before, norm, exposure.before),
             MakeDraws(sides.after, norm, exposure.after)} {
  if (!draws_[0].has_value() || !draws_[1].has_value()) {
    draws_[0].reset();
    draws_[1].reset();
  }
}

double NoiseJudge::Optimistic(const Observed& observed) const {
  const auto& events = observed.events;
  if (norm_ == DiffNorm::kShare)
    return ShareProbability(events[0], events_[0], events[1], events_[1]);
  return SplitProbability(events[0], events[1], exposure_.before, exposure_.after);
}

double NoiseJudge::Probability(const Observed& observed) const {
  if (!draws_[0].has_value())
    return Optimistic(observed);
  // Instances that agree to the last sample say nothing about their spread; then the spread of the
  // samples is all there is.
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
    // Resampling is the costly one, and nobody asks it about what is too rare to be judged.
    if (is_rare && test() == NoiseTest::kBootstrap)
      continue;
    verdicts[i].probability = Probability(all[i]);
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

}  // namespace flarestack::query
