// SPDX-License-Identifier: Apache-2.0
//
// Decides which differences between two sets of stacks are significant. With five or more instances
// on each side, instances are resampled (instance_draws.h). With fewer, samples are assumed to be
// independent. That is optimistic: it reports too many differences as significant.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "query/diff/diff_norm.h"
#include "query/diff/instance_draws.h"
#include "query/stacks/item_sums.h"
#include "query/stacks/stack_set.h"

namespace flarestack::query {

// With fewer samples than this on both sides, no difference is significant.
inline constexpr int64_t kDiffEventsMin = 20;
// The false discovery rate: the average fraction of functions called significant that differ only
// by chance.
inline constexpr double kFalseFindingRate = 0.05;

enum class NoiseTest { kOptimistic, kBootstrap };

// A function, or a node of a tree, on both sides.
struct Observed {
  int64_t events[2] = {0, 0};
  int64_t totals[2] = {0, 0};                // the compared values, in the unit of the sets
  std::span<const InstanceValue> values[2];  // not used by the optimistic test
};

struct Verdict {
  double probability = 1;       // p-value of the difference
  bool is_significant = false;  // considering all items judged together
};

struct Sides {
  const StackSet& before;
  const StackSet& after;
};

class NoiseJudge {
 public:
  NoiseJudge(const Sides& sides, DiffNorm norm, const Exposure& exposure);

  NoiseTest test() const {
    return draws_[0].has_value() ? NoiseTest::kBootstrap : NoiseTest::kOptimistic;
  }

  std::vector<Verdict> Judge(std::span<const Observed> all) const;

 private:
  double Probability(const Observed& observed) const;
  double Optimistic(const Observed& observed) const;
  bool IsUnchanged(const Observed& observed) const;

  // The weight of an event of `observed` on each side, in the unit of the sets. The sides may have
  // different sampling rates, so their events cannot be compared directly.
  std::array<double, 2> WeightsOf(const Observed& observed) const;

  DiffNorm norm_;
  Exposure exposure_;
  int64_t events_[2];
  int64_t totals_[2];
  std::optional<InstanceDraws> draws_[2];  // both or none
};

// Whether one side costs more than the other in total, per second if both durations are known.
Verdict JudgeTotal(const Sides& sides);

// The two-sided p-value: the probability of `a` and `b` events, or a less even split of their sum,
// if events occur at the same rate on both sides and the sides were observed for `exposure_a` and
// `exposure_b`. Samples of one process are not independent of each other, so the p-value is too
// small. Returns 1 if an exposure is not positive.
double SplitProbability(int64_t a, int64_t b, double exposure_a, double exposure_b);

// The same for shares: `a` of `all_a` events against `b` of `all_b`. A function that is in half of
// all stacks varies less than its count alone suggests.
double ShareProbability(int64_t a, double all_a, int64_t b, double all_b);

// Returns which of these probabilities are findings, such that on average at most `rate` of all
// findings are false (Benjamini-Hochberg procedure).
std::vector<bool> Findings(std::span<const double> probabilities, double rate);

}  // namespace flarestack::query
