// SPDX-License-Identifier: Apache-2.0
#include "query/diff/instance_draws.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "base/check.h"
#include "base/hash.h"
#include "query/diff/incomplete_beta.h"

namespace flarestack::query {
namespace {

// A number below `count`. Standard library distributions differ between implementations, and the
// modulo bias of at most 1 in 2^54 is far below the noise of the draws.
size_t Below(size_t count, std::mt19937_64* random) { return (*random)() % count; }

}  // namespace

InstanceDraws::InstanceDraws(std::span<const double> exposures)
    : groups_(exposures.size(), 0), exposures_(kDraws, 0) {
  const auto drawn = std::ranges::count_if(exposures, [](double e) { return e > 0; });
  group_count_ = std::min(static_cast<size_t>(drawn), kGroupsMax);
  FLARE_CHECK(group_count_ >= 2);
  std::vector<double> group_exposures(group_count_, 0);
  for (size_t i = 0, next = 0; i < exposures.size(); ++i) {
    if (exposures[i] <= 0)
      continue;
    groups_[i] = static_cast<uint32_t>(next++ % group_count_);
    group_exposures[groups_[i]] += exposures[i];
  }
  exposure_ = std::accumulate(group_exposures.begin(), group_exposures.end(), 0.0);
  effective_count_ = exposure_ * exposure_ /
                     std::inner_product(group_exposures.begin(), group_exposures.end(),
                                        group_exposures.begin(), 0.0);
  weights_.assign(group_count_ * kDraws, 0);
  std::mt19937_64 random(base::Hash64(exposures.data(), exposures.size_bytes()));
  for (size_t draw = 0; draw < kDraws; ++draw) {
    for (size_t i = 0; i < group_count_; ++i) {
      const size_t group = Below(group_count_, &random);
      weights_[group * kDraws + draw] += 1;
      exposures_[draw] += group_exposures[group];
    }
  }
}

Estimate InstanceDraws::Of(std::span<const InstanceValue> values) const {
  std::vector<double> sums(kDraws, 0);
  double sum = 0;
  for (const InstanceValue& part : values) {
    const float* weights = &weights_[groups_[part.instance] * kDraws];
    for (size_t draw = 0; draw < kDraws; ++draw)
      sums[draw] += part.value * static_cast<double>(weights[draw]);
    sum += part.value;
  }
  Estimate estimate = {.value = sum / exposure_, .count = effective_count_};
  for (size_t draw = 0; draw < kDraws; ++draw) {
    const double difference = sums[draw] / exposures_[draw] - estimate.value;
    estimate.variance += difference * difference;
  }
  // Draws vary around the existing instances, not around all possible ones. That underestimates the
  // variance by one in the count.
  estimate.variance *= estimate.count / (estimate.count - 1) / static_cast<double>(kDraws);
  return estimate;
}

std::optional<double> DifferenceProbability(const Estimate& before, const Estimate& after) {
  // A smaller difference is a rounding error of the sums.
  constexpr double kRounding = 1e-9;
  const double rounding = kRounding * std::max(std::abs(before.value), std::abs(after.value));
  const double difference = after.value - before.value;
  const double variance = before.variance + after.variance;
  if (std::abs(difference) <= rounding)
    return 1;
  if (variance <= rounding * rounding)
    return std::nullopt;
  // A side's part of the variance of the difference, if instances of both sides vary equally.
  const auto part = [&](const Estimate& side, const Estimate& other) {
    const double share = other.count / (side.count + other.count);
    return share * share / (side.count - 1);
  };
  const double degrees_of_freedom = 1 / (part(before, after) + part(after, before));
  return StudentProbability(difference / std::sqrt(variance), degrees_of_freedom);
}

}  // namespace flarestack::query
