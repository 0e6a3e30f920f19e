// SPDX-License-Identifier: Apache-2.0
//
// Profile samples by the span they are linked to.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/batch.h"
#include "query/data/data_source.h"
#include "query/scope/profile_scope.h"

namespace flarestack::query {

struct SpanSamples {
  std::string type;  // "cpu"
  std::string unit;  // "nanoseconds"
  uint64_t count = 0;
  int64_t sum = 0;  // saturates
};

// By span id, eight bytes. Each span has one entry per sample type, sorted by type and unit. Skips
// samples without a link.
std::map<std::string, std::vector<SpanSamples>> SamplesBySpan(const model::Batch& batch);

// Which traces a function was sampled in, and at what cost: the link from a profile to traces.
struct TraceCost {
  std::string trace_id;  // 16 bytes
  uint64_t samples = 0;
  int64_t value = 0;
};

// Most expensive first. The scope must name a type. An empty function matches any.
absl::StatusOr<std::vector<TraceCost>> CostByTrace(const DataSource& source,
                                                   const ProfileScope& scope,
                                                   const std::string& function,
                                                   const ReadLimits& limits);

}  // namespace flarestack::query
