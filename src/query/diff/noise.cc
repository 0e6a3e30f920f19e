// SPDX-License-Identifier: Apache-2.0
#include "query/diff/noise.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "query/diff/incomplete_beta.h"

namespace flarestack::query {
namespace {

// P(X >= k) for X binomial.
double UpperTail(double k, double n, double p) {
  return k <= 0 ? 1 : IncompleteBeta(k, n - k + 1, p);
}

}  // namespace

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
