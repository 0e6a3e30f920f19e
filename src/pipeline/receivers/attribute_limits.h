// SPDX-License-Identifier: Apache-2.0
//
// Limits the number of attributes per item and the length of their values. As with the limits of
// the OpenTelemetry SDKs, an item over the limit loses attributes and is still accepted: surplus
// attributes are dropped, last ones first, and added to `dropped_attributes_count`; text and bytes
// are truncated, text at a character boundary.
//
// Metric data points are the exception. Their attributes identify the series, so truncation could
// merge two series that then overwrite each other. Such a point is rejected instead.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/batch.h"
#include "model/log.h"
#include "model/metric.h"
#include "model/trace.h"
#include "model/validation/item_check.h"

namespace flarestack::pipeline {

struct AttributeLimits {
  uint32_t count_max = 1024;  // per resource, scope, profile, sample, span, event, ...
  uint64_t value_bytes_max = 64 << 10;
};

struct AttributeLosses {
  uint64_t dropped = 0;  // attributes
  uint64_t cut = 0;      // values

  // Returns a sentence for the sender; empty when nothing was lost.
  std::string Explain(const AttributeLimits& limits) const;
};

// Requires valid UTF-8 and valid indices. For metrics, data points are not touched.
AttributeLosses LimitAttributes(const AttributeLimits& limits, model::Batch* batch);
AttributeLosses LimitAttributes(const AttributeLimits& limits, model::TraceBatch* batch);
AttributeLosses LimitAttributes(const AttributeLimits& limits, model::LogBatch* batch);
AttributeLosses LimitAttributes(const AttributeLimits& limits, model::MetricBatch* batch);

std::vector<model::RejectedPoint> FindPointsBeyond(const AttributeLimits& limits,
                                                   const model::MetricBatch& batch);

}  // namespace flarestack::pipeline
