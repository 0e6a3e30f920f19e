// SPDX-License-Identifier: Apache-2.0
//
// Which differences between two sets of stacks are beyond chance. With five or more instances on
// each side, instances are resampled (bootstrap.h). With fewer there is only the assumption that
// samples are independent (noise.h), which is optimistic: it calls too much beyond chance.
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

// Fewer samples than this on both sides say nothing, whatever the ratio is.
inline constexpr int64_t kDiffEventsMin = 20;
// Of the functions called significant, so many are by chance on average.
inline constexpr double kFalseFindingRate = 0.05;

enum class NoiseTest { kOptimistic, kBootstrap };

// A function, or a node of a tree, on both sides.
struct Observed {
  int64_t events[2] = {0, 0};
  int64_t totals[2] = {0, 0};                // in the unit of the sets: what is compared
  std::span<const InstanceValue> values[2];  // not looked at by the optimistic test
};

struct Verdict {
  double probability = 1;       // of such a difference by chance
  bool is_significant = false;  // with regard to all that are judged together
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

  // What an event of `observed` stands for on each side, in the unit of the sets: sides may have
  // been sampled at other rates, and their events do not compare.
  std::array<double, 2> WeightsOf(const Observed& observed) const;

  DiffNorm norm_;
  Exposure exposure_;
  int64_t events_[2];
  int64_t totals_[2];
  std::optional<InstanceDraws> draws_[2];  // both or none
};

// Whether one side costs more than the other on the whole, per second where both say how long they
// were recorded.
Verdict JudgeTotal(const Sides& sides);

}  // namespace flarestack::query
