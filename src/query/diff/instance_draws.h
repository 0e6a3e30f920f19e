// SPDX-License-Identifier: Apache-2.0
//
// A cluster bootstrap: how much does a measured cost vary from one set of instances to the next?
//
// Samples of one process are not independent: it has its own traffic, its own caches, its own bad
// neighbour. Whole instances are. So as many instances as there are get drawn with replacement, and
// the cost of each such draw is looked at. The spread of 2000 draws is the error of the
// measurement.
//
// Draws are made once and shared by all functions. The probability is not counted from the draws,
// because 2000 of them can show none below 1 in 2000, and a list of thousands of functions needs
// smaller ones; it is taken from Student's distribution with the error that the draws show.
//
// Instances are of different size, and a few large ones say less than as many equal ones. So they
// count as their effective number, (sum of exposures)^2 / (sum of squares), as Kish has it for
// samples of unequal weight.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "query/stacks/item_sums.h"

namespace flarestack::query {

// With fewer on a side the spread says too little.
inline constexpr uint32_t kBootstrapInstancesMin = 5;

struct Estimate {
  double value = 0;     // all values by all exposures
  double variance = 0;  // of that
  double count = 0;     // effective number of instances; above 1
};

class InstanceDraws {
 public:
  static constexpr size_t kDraws = 2000;
  // More instances are put together into so many groups: groups are independent as well, and more
  // of them say hardly more about the spread.
  static constexpr size_t kGroupsMax = 1024;

  // The exposure of each instance; those with 0 are not drawn, and at least two are above. The
  // draws depend on nothing else, so the same profiles give the same result.
  explicit InstanceDraws(std::span<const double> exposures);

  // The values of instances that are not listed are 0, and so are those without exposure.
  Estimate Of(std::span<const InstanceValue> values) const;

  size_t group_count() const { return group_count_; }

 private:
  size_t group_count_ = 0;
  double exposure_ = 0;
  double effective_count_ = 0;
  std::vector<uint32_t> groups_;   // by instance
  std::vector<float> weights_;     // how often a draw has a group: group * kDraws + draw
  std::vector<double> exposures_;  // of each draw
};

// Two-sided: how probable is a difference as large as this where both are measurements of the same?
// Nothing when neither varies, because then they do not show how large the error is.
//
// The degrees of freedom are those of Welch's test, but from the counts alone. Welch takes them
// from the variances too, and where five instances that happen to agree are compared with a hundred
// that do not, that found something in up to two of three comparisons of the same with the same.
std::optional<double> DifferenceProbability(const Estimate& before, const Estimate& after);

}  // namespace flarestack::query
