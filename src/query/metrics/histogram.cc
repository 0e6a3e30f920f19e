// SPDX-License-Identifier: Apache-2.0
#include "query/metrics/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace flarestack::query {
namespace {

using Bucket = Histogram::Bucket;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::pair<double, double> Place(const Bucket& bucket) { return {bucket.lower, bucket.upper}; }

// Adds the counts of `more`, times `sign`, to those of `buckets`.
std::vector<Bucket> Joined(const std::vector<Bucket>& buckets, const std::vector<Bucket>& more,
                           double sign) {
  std::vector<Bucket> joined;
  joined.reserve(std::max(buckets.size(), more.size()));
  auto a = buckets.begin();
  auto b = more.begin();
  while (a != buckets.end() || b != more.end()) {
    Bucket next;
    if (b == more.end() || (a != buckets.end() && Place(*a) < Place(*b))) {
      next = *a++;
    } else if (a == buckets.end() || Place(*b) < Place(*a)) {
      next = *b++;
      next.count *= sign;
    } else {
      next = *a++;
      next.count += sign * (b++)->count;
    }
    if (next.count > 0)
      joined.push_back(next);
  }
  return joined;
}

// The cumulative distribution over intervals with finite ends.
class Distribution {
 public:
  explicit Distribution(std::vector<Bucket> buckets) : buckets_(std::move(buckets)) {
    for (const Bucket& bucket : buckets_) {
      total_ += bucket.count;
      ends_.push_back(bucket.lower);
      ends_.push_back(bucket.upper);
    }
    std::ranges::sort(ends_);
  }

  // The function is linear between neighbouring ends.
  double Quantile(double share) const {
    const double wanted = share * total_;
    const auto at = std::ranges::partition_point(
        ends_, [&](double end) { return CountUntil(end, true) < wanted; });
    if (at == ends_.end())
      return ends_.back();
    if (at == ends_.begin())
      return *at;
    const double below = CountUntil(*(at - 1), true);
    const double before = CountUntil(*at, false);
    if (before <= below || wanted >= before)
      return *at;
    return *(at - 1) + (*at - *(at - 1)) * (wanted - below) / (before - below);
  }

 private:
  // Counts intervals that are the single point `value` only if `is_included`.
  double CountUntil(double value, bool is_included) const {
    double count = 0;
    for (const Bucket& bucket : buckets_) {
      if (value < bucket.lower)
        continue;
      if (value > bucket.upper)
        count += bucket.count;
      else if (bucket.lower < bucket.upper)
        count += bucket.count * ((value - bucket.lower) / (bucket.upper - bucket.lower));
      else if (is_included)
        count += bucket.count;
    }
    return count;
  }

  std::vector<Bucket> buckets_;
  std::vector<double> ends_;
  double total_ = 0;
};

// Converts an index at scale `from` to the index of the enclosing bucket at the coarser scale `to`.
int64_t Rescaled(int64_t index, int32_t from, int32_t to) {
  const int64_t shift = std::clamp<int64_t>(int64_t{from} - to, 0, 62);
  return index >> shift;
}

double PowerOfBase(int64_t index, int32_t scale) {
  return std::exp2(std::ldexp(static_cast<double>(index), -std::clamp(scale, -1000, 1000)));
}

}  // namespace

void Histogram::Add(const Histogram& other) {
  const bool was_empty = count == 0 && buckets.empty();
  count += other.count;
  sum += other.sum;
  buckets = buckets.empty() ? other.buckets : Joined(buckets, other.buckets, 1);
  const auto join = [&](std::optional<double>& mine, const std::optional<double>& its, auto pick) {
    if (was_empty)
      mine = its;
    else if (mine.has_value() && its.has_value())
      mine = pick(*mine, *its);
    else
      mine.reset();
  };
  join(min, other.min, [](double a, double b) { return std::min(a, b); });
  join(max, other.max, [](double a, double b) { return std::max(a, b); });
}

Histogram Histogram::Since(const Histogram& earlier) const {
  return {.count = std::max(count - earlier.count, 0.0),
          .sum = sum - earlier.sum,
          .min = std::nullopt,
          .max = std::nullopt,
          .buckets = Joined(buckets, earlier.buckets, -1)};
}

std::optional<double> Histogram::Quantile(double share) const {
  if (buckets.empty() || count <= 0)
    return std::nullopt;
  std::vector<Bucket> finite = buckets;
  for (Bucket& bucket : finite) {
    if (std::isinf(bucket.lower) && std::isinf(bucket.upper)) {
      bucket.lower = min.value_or(sum / count);
      bucket.upper = max.value_or(sum / count);
    } else if (std::isinf(bucket.lower)) {
      bucket.lower = std::min(min.value_or(bucket.upper > 0 ? 0 : bucket.upper), bucket.upper);
    } else if (std::isinf(bucket.upper)) {
      bucket.upper = std::max(max.value_or(bucket.lower), bucket.lower);
    }
    if (bucket.upper < bucket.lower)
      bucket.upper = bucket.lower;
  }
  const double value = Distribution(std::move(finite)).Quantile(share);
  return std::min(std::max(value, min.value_or(-kInfinity)), max.value_or(kInfinity));
}

Histogram ToHistogram(const model::MetricBatch& batch, const model::HistogramPoint& point) {
  Histogram histogram = {.count = static_cast<double>(point.count),
                         .sum = point.sum.value_or(0),
                         .min = point.min,
                         .max = point.max,
                         .buckets = {}};
  const auto counts = model::In(batch.bucket_counts, point.bucket_counts);
  const auto bounds = model::In(batch.bounds, point.explicit_bounds);
  for (size_t i = 0; i < counts.size() && i <= bounds.size(); ++i) {
    const Bucket bucket = {.lower = i == 0 ? -kInfinity : bounds[i - 1],
                           .upper = i == bounds.size() ? kInfinity : bounds[i],
                           .count = static_cast<double>(counts[i])};
    // Bounds are external input: skip NaN, which cannot be ordered.
    if (counts[i] > 0 && !std::isnan(bucket.lower) && !std::isnan(bucket.upper))
      histogram.buckets.push_back(bucket);
  }
  std::ranges::sort(histogram.buckets, {}, Place);
  return histogram;
}

Histogram ToHistogram(const model::MetricBatch& batch,
                      const model::ExponentialHistogramPoint& point, int32_t scale) {
  Histogram histogram = {.count = static_cast<double>(point.count),
                         .sum = point.sum.value_or(0),
                         .min = point.min,
                         .max = point.max,
                         .buckets = {}};
  scale = std::min(scale, point.scale);
  const auto add = [&](const model::ExponentialHistogramPoint::Buckets& side, double sign) {
    const auto counts = model::In(batch.bucket_counts, side.bucket_counts);
    for (size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0)
        continue;
      const int64_t index =
          Rescaled(int64_t{side.offset} + static_cast<int64_t>(i), point.scale, scale);
      const double near = sign * PowerOfBase(index, scale);
      const double far = sign * PowerOfBase(index + 1, scale);
      histogram.buckets.push_back({.lower = std::min(near, far),
                                   .upper = std::max(near, far),
                                   .count = static_cast<double>(counts[i])});
    }
  };
  add(point.negative, -1);
  if (point.zero_count > 0) {
    histogram.buckets.push_back(
        {.lower = 0, .upper = 0, .count = static_cast<double>(point.zero_count)});
  }
  add(point.positive, 1);
  std::ranges::sort(histogram.buckets, {}, Place);
  // A coarser scale maps several buckets to one.
  std::vector<Bucket> merged;
  for (const Bucket& bucket : histogram.buckets) {
    if (!merged.empty() && Place(merged.back()) == Place(bucket))
      merged.back().count += bucket.count;
    else
      merged.push_back(bucket);
  }
  histogram.buckets = std::move(merged);
  return histogram;
}

Histogram ToHistogram(const model::SummaryPoint& point) {
  return {.count = static_cast<double>(point.count),
          .sum = point.sum,
          .min = std::nullopt,
          .max = std::nullopt,
          .buckets = {}};
}

}  // namespace flarestack::query
