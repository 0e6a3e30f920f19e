// SPDX-License-Identifier: Apache-2.0
//
// How two sets of stacks are made comparable: what each side was exposed to, and so by what its
// values are divided.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "query/stacks/stack_set.h"

namespace flarestack::query {

enum class DiffNorm {
  kShare,    // parts of the total: which part grew
  kRate,     // per observed second: did it cost more
  kRequest,  // per request: deployments under changing traffic
  kNone,     // as they are: equal, controlled runs
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
  uint32_t instance_count = 0;  // 0 where the set does not tell them apart
};

DiffSide SideOf(const StackSet& set);

// Total, nanoseconds or requests, by the norm; 1 where values are compared as they are.
struct Exposure {
  double before = 1;
  double after = 1;
};

// The norm that suits a sample type: a gauge is a state, which no time changes, so that it has no
// rate.
DiffNorm NormFor(std::string_view sample_type, DiffNorm wanted);

// kInvalidArgument when a side has none for the norm.
absl::StatusOr<Exposure> ExposureOf(const DiffSide& before, const DiffSide& after,
                                    const DiffOptions& options);

}  // namespace flarestack::query
