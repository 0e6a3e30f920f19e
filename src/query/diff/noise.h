// SPDX-License-Identifier: Apache-2.0
//
// Tests whether two counts differ significantly.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace flarestack::query {

// The two-sided p-value: the probability of `a` and `b` events, or a less even split of their sum,
// if events occur at the same rate on both sides and the sides were observed for `exposure_a` and
// `exposure_b`. Samples of one process are not independent of each other, so the p-value is too
// small.
// Returns 1 if an exposure is not positive.
double SplitProbability(int64_t a, int64_t b, double exposure_a, double exposure_b);

// The same for shares: `a` of `all_a` events against `b` of `all_b`. A function that is in half of
// all stacks varies less than its count alone suggests.
double ShareProbability(int64_t a, double all_a, int64_t b, double all_b);

// Returns which of these probabilities are findings, such that on average at most `rate` of all
// findings are false (Benjamini-Hochberg procedure).
std::vector<bool> Findings(std::span<const double> probabilities, double rate);

}  // namespace flarestack::query
