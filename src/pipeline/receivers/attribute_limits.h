// SPDX-License-Identifier: Apache-2.0
//
// How many attributes an item may have, and how long their values may be. What is beyond costs the
// attribute and not the item, as with the limits of the OpenTelemetry SDKs: surplus attributes are
// dropped, the last ones first, and `dropped_attributes_count` says how many; text and bytes are
// cut, text at the end of a character.
//
// Points of metrics are the exception. Their attributes name the series, so two series could become
// one and overwrite each other: such a point is turned away instead.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/batch.h"
#include "model/item_check.h"
#include "model/log.h"
#include "model/metric.h"
#include "model/trace.h"

namespace flarestack::pipeline {

struct AttributeLimits {
  uint32_t count_max = 1024;  // of one resource, scope, profile, sample, span, event, ...
  uint64_t value_bytes_max = 64 << 10;
};

struct AttributeLosses {
  uint64_t dropped = 0;  // attributes
  uint64_t cut = 0;      // values

  // A sentence for the sender; empty when nothing was lost.
  std::string Explain(const AttributeLimits& limits) const;
};

// Text must be valid UTF-8, and indices valid. Of metrics everything but points is looked at.
AttributeLosses LimitAttributes(const AttributeLimits& limits, model::Batch* batch);
AttributeLosses LimitAttributes(const AttributeLimits& limits, model::TraceBatch* batch);
AttributeLosses LimitAttributes(const AttributeLimits& limits, model::LogBatch* batch);
AttributeLosses LimitAttributes(const AttributeLimits& limits, model::MetricBatch* batch);

std::vector<model::RejectedPoint> FindPointsBeyond(const AttributeLimits& limits,
                                                   const model::MetricBatch& batch);

}  // namespace flarestack::pipeline
