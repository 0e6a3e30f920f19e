// SPDX-License-Identifier: Apache-2.0
//
// Which traces a function was sampled in, and at what cost: the link from a profile to traces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "query/data/data_source.h"
#include "query/scope/profile_scope.h"

namespace flarestack::query {

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
