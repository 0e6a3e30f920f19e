// SPDX-License-Identifier: Apache-2.0
//
// The incident to find in the story: the request that suffers most from the new version in the
// minutes after its rollout.
#pragma once

#include <cstdint>
#include <string>

#include "demo/timeline.h"

namespace flarestack::demo {

struct Incident {
  std::string trace_id;         // bytes
  std::string server_span_id;   // of checkout; the exemplar refers to it
  std::string coupons_span_id;  // the span that took the time
  uint64_t start_nanos = 0;     // of the request
  uint64_t duration_nanos = 0;  // of the server span
  uint64_t coupons_nanos = 0;   // the part spent on coupons
};

Incident FindIncident(const Timeline& timeline);

// How much more CPU an instance of checkout uses per second with the new version, over the forty
// minutes: 0.4 means 40 % more.
double CheckoutCpuRise(const Timeline& timeline);

}  // namespace flarestack::demo
