// SPDX-License-Identifier: Apache-2.0
//
// What there is to find in the story: the request that suffers most from the new version, in the
// minutes after it came.
#pragma once

#include <cstdint>
#include <string>

#include "demo/timeline.h"

namespace flarestack::demo {

struct Incident {
  std::string trace_id;         // bytes
  std::string server_span_id;   // of checkout, which the exemplar names
  std::string coupons_span_id;  // where the time went
  uint64_t start_nanos = 0;     // of the request
  uint64_t duration_nanos = 0;  // of the server's span
  uint64_t coupons_nanos = 0;   // of it in the coupons
};

Incident FindIncident(const Timeline& timeline);

// How much more CPU an instance of checkout uses per second with the new version, over the forty
// minutes: 0.4 is 40 % more.
double CheckoutCpuRise(const Timeline& timeline);

}  // namespace flarestack::demo
