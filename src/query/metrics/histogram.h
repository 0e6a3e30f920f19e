// SPDX-License-Identifier: Apache-2.0
//
// A distribution as intervals with counts, which histograms with explicit bounds, exponential ones
// of any scale, and mixtures of them can all be added to.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/metric.h"

namespace flarestack::query {

struct Histogram {
  struct Bucket {  // more than `lower`, at most `upper`; either may be infinite
    double lower = 0;
    double upper = 0;
    double count = 0;
  };

  double count = 0;
  double sum = 0;
  std::optional<double> min;  // where all that was added has one
  std::optional<double> max;
  std::vector<Bucket> buckets;  // by lower, then by upper; none without a count

  void Add(const Histogram& other);

  // What was added since `earlier`, which must be an earlier state of the same. Smallest and
  // largest are unknown then.
  Histogram Since(const Histogram& earlier) const;

  // The value below which this share of all is, taking it that values are spread evenly within
  // their bucket. Ends that are infinite are replaced by smallest and largest where they are known,
  // else by zero or the other end. Nothing where there is nothing.
  std::optional<double> Quantile(double share) const;
};

Histogram ToHistogram(const model::MetricBatch& batch, const model::HistogramPoint& point);

// At a scale that is not finer than the point's own; the finer one is not there any more.
Histogram ToHistogram(const model::MetricBatch& batch,
                      const model::ExponentialHistogramPoint& point, int32_t scale);

// Of a summary: count and sum alone.
Histogram ToHistogram(const model::SummaryPoint& point);

}  // namespace flarestack::query
