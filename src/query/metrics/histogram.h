// SPDX-License-Identifier: Apache-2.0
//
// A distribution as intervals with counts. Histograms with explicit bounds, exponential histograms
// of any scale, and mixtures of them can be added to it.
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
  std::optional<double> min;  // set if everything added has one
  std::optional<double> max;
  std::vector<Bucket> buckets;  // by lower, then by upper; none without a count

  void Add(const Histogram& other);

  // The part added since `earlier`, which must be an earlier state of this histogram. Its minimum
  // and maximum are unknown.
  Histogram Since(const Histogram& earlier) const;

  // The value below which this share of all values lies, assuming an even distribution within each
  // bucket. Infinite ends are replaced by minimum and maximum if known, else by zero or the other
  // end. Returns nullopt for an empty histogram.
  std::optional<double> Quantile(double share) const;
};

Histogram ToHistogram(const model::MetricBatch& batch, const model::HistogramPoint& point);

// Converts to `scale`, but no finer than the scale of the point: the finer detail is lost.
Histogram ToHistogram(const model::MetricBatch& batch,
                      const model::ExponentialHistogramPoint& point, int32_t scale);

// For a summary: only count and sum.
Histogram ToHistogram(const model::SummaryPoint& point);

}  // namespace flarestack::query
