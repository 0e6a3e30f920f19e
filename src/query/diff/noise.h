// SPDX-License-Identifier: Apache-2.0
//
// Whether a difference of two counts can be chance.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace flarestack::query {

// Two-sided: how probable is it to see `a` and `b` events, or a less even split of their sum, where
// events come at the same rate on both sides and the sides were watched for `exposure_a` and
// `exposure_b`? Samples of one process are not independent of each other, so this is optimistic.
// 1 when an exposure is not positive.
double SplitProbability(int64_t a, int64_t b, double exposure_a, double exposure_b);

// The same for shares: `a` of `all_a` events against `b` of `all_b`. A function that is in half of
// all stacks varies less than its count alone would say.
double ShareProbability(int64_t a, double all_a, int64_t b, double all_b);

// Which of these probabilities are findings, so that of all findings at most `rate` are false on
// average (Benjamini and Hochberg's procedure).
std::vector<bool> Findings(std::span<const double> probabilities, double rate);

}  // namespace flarestack::query
