// SPDX-License-Identifier: Apache-2.0
//
// How two sets of stacks are made comparable: the exposure of each side, by which its values are
// divided.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "query/stacks/stack_set.h"

namespace flarestack::query {

enum class DiffNorm {
  kShare,    // fractions of the total: which part grew
  kRate,     // per observed second: did the cost grow
  kRequest,  // per request: deployments under changing traffic
  kNone,     // raw values: equal, controlled runs
};

struct DiffOptions {
  DiffNorm norm = DiffNorm::kShare;
  double requests_before = 0;  // for kRequest
  double requests_after = 0;
};

struct DiffSide {
  int64_t total = 0;
  int64_t events = 0;
  uint64_t duration_nanos = 0;
  uint32_t instance_count = 0;  // 0 if the set does not distinguish instances
};

DiffSide SideOf(const StackSet& set);

// The total, nanoseconds or requests, depending on the norm; 1 if raw values are compared.
struct Exposure {
  double before = 1;
  double after = 1;
};

// The norm for a sample type. A gauge is a state that does not grow with time, so it has no rate.
DiffNorm NormFor(std::string_view sample_type, DiffNorm wanted);

// Returns kInvalidArgument if a side has no exposure for the norm.
absl::StatusOr<Exposure> ExposureOf(const DiffSide& before, const DiffSide& after,
                                    const DiffOptions& options);

}  // namespace flarestack::query
