// SPDX-License-Identifier: Apache-2.0
//
// GET /metrics: counters and gauges in the text format of Prometheus.
#pragma once

#include <string>

#include "base/byte_budget.h"
#include "base/counters.h"
#include "store/store.h"

namespace flarestack::server {

struct ConfiguredLimits {
  uint64_t disk_bytes = 0;  // 0: none
  uint64_t memory_bytes = 0;
};

std::string MetricsText(const base::Counters& counters, store::Store* store,
                        const base::ByteBudget& requests, const ConfiguredLimits& limits);

}  // namespace flarestack::server
