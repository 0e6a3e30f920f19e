// SPDX-License-Identifier: Apache-2.0
//
// A cluster bootstrap: how much does a measured cost vary from one set of instances to the next?
//
// Samples of one process are not independent: it has its own traffic, its own caches, its own noisy
// neighbour. Whole instances are independent. So each draw picks as many instances as there are,
// with replacement, and computes their cost. The spread of 2000 draws is the error of the
// measurement.
//
// All functions share the same draws. The probability is not counted from the draws: 2000 of them
// cannot show one below 1 in 2000, and a list of thousands of functions needs smaller ones. It
// comes from Student's distribution with the error that the draws show.
//
// Instances differ in size, and a few large ones carry less information than the same number of
// equal ones. So they count as their effective number, (sum of exposures)^2 / (sum of squares),
// which is Kish's formula for samples of unequal weight.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "query/stacks/item_sums.h"

namespace flarestack::query {

// With fewer instances on a side, the spread says too little.
inline constexpr uint32_t kBootstrapInstancesMin = 5;

struct Estimate {
  double value = 0;     // sum of values divided by sum of exposures
  double variance = 0;  // of `value`
  double count = 0;     // effective number of instances; above 1
};

class InstanceDraws {
 public:
  static constexpr size_t kDraws = 2000;
  // More instances are combined into this many groups. Groups are independent as well, and more of
  // them hardly improve the estimate of the spread.
  static constexpr size_t kGroupsMax = 1024;

  // The exposure of each instance. Instances with 0 are not drawn; at least two must be above 0.
  // The draws depend on nothing else, so the same profiles give the same result.
  explicit InstanceDraws(std::span<const double> exposures);

  // Instances that are not listed, or have no exposure, have the value 0.
  Estimate Of(std::span<const InstanceValue> values) const;

  size_t group_count() const { return group_count_; }

 private:
  size_t group_count_ = 0;
  double exposure_ = 0;
  double effective_count_ = 0;
  std::vector<uint32_t> groups_;   // by instance
  std::vector<float> weights_;     // how often a draw contains a group: group * kDraws + draw
  std::vector<double> exposures_;  // of each draw
};

// Two-sided: how probable is a difference this large if both measure the same thing? Returns
// nullopt if neither varies, because then the size of the error is unknown.
//
// The degrees of freedom are those of Welch's test, but computed from the counts alone. Welch also
// uses the variances. Comparing five instances that happen to agree with a hundred that do not,
// that reported a difference in up to two of three comparisons of identical populations.
std::optional<double> DifferenceProbability(const Estimate& before, const Estimate& after);

}  // namespace flarestack::query
