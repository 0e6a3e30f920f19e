// SPDX-License-Identifier: Apache-2.0
#include "query/diff/noise_judge.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "query/diff/incomplete_beta.h"

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

// P(X >= k) for X binomial.
double UpperTail(double k, double n, double p) {
  return k <= 0 ? 1 : IncompleteBeta(k, n - k + 1, p);
}

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

double SplitProbability(int64_t a, int64_t b, double exposure_a, double exposure_b) {
  if (a < 0 || b < 0 || a + b == 0 || exposure_a <= 0 || exposure_b <= 0)
    return 1;
  const auto count_a = static_cast<double>(a);
  const auto count_b = static_cast<double>(b);
  const double sum = count_a + count_b;
  const double share_a = exposure_a / (exposure_a + exposure_b);
  // P(A <= a) equals P(B >= b), from the other side.
  const double above = UpperTail(count_a, sum, share_a);
  const double below = UpperTail(count_b, sum, 1 - share_a);
  return std::min(1.0, 2 * std::min(above, below));
}

double ShareProbability(int64_t a, double sum_a, int64_t b, double sum_b) {
  if (a < 0 || b < 0 || static_cast<double>(a) > sum_a || static_cast<double>(b) > sum_b ||
      sum_a <= 0 || sum_b <= 0)
    return 1;
  // The normal approximation is valid if both the counted and the uncounted events are many.
  constexpr double kManyMin = 10;
  const double share = static_cast<double>(a + b) / (sum_a + sum_b);
  if (std::min(share, 1 - share) * std::min(sum_a, sum_b) < kManyMin)
    return SplitProbability(a, b, sum_a, sum_b);
  const double difference =
      std::abs(static_cast<double>(a) / sum_a - static_cast<double>(b) / sum_b);
  const double correction = (1 / sum_a + 1 / sum_b) / 2;  // counts are whole numbers
  const double deviation = std::sqrt(share * (1 - share) * (1 / sum_a + 1 / sum_b));
  return std::erfc(std::max(0.0, difference - correction) / deviation / std::sqrt(2.0));
}

std::vector<bool> Findings(std::span<const double> probabilities, double rate) {
  std::vector<size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](size_t i) { return probabilities[i]; });
  const auto count = static_cast<double>(order.size());
  size_t findings = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    if (probabilities[order[i]] <= rate * static_cast<double>(i + 1) / count)
      findings = i + 1;
  }
  std::vector<bool> is_finding(order.size(), false);
  for (size_t i = 0; i < findings; ++i)
    is_finding[order[i]] = true;
  return is_finding;
}

}  // namespace flarestack::query
