// SPDX-License-Identifier: Apache-2.0
//
// GET /metrics: counters and gauges in the text format of Prometheus.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_budget.h"
#include "base/counters.h"
#include "server/tenants/tenants.h"

namespace flarestack::server {

uint64_t ResidentBytes();  // memory of the process

struct ConfiguredLimits {
  uint64_t disk_bytes = 0;  // 0: none
  uint64_t memory_bytes = 0;
};

// Where OTLP requests wait for their turn.
struct RequestBudgets {
  const base::ByteBudget& bodies;
  const base::ByteBudget& work;
};

std::string MetricsText(const base::Counters& counters, const RequestBudgets& requests,
                        const ConfiguredLimits& limits);

// Requests that were accepted and are not answered yet, by port.
std::string InFlightText(std::initializer_list<std::pair<std::string_view, int>> ports);

// The figures of each store. With tenants they have a label, and only those that the principal may
// use are shown.
std::string StoreMetricsText(const Tenants& tenants, const net::Principal& principal);

}  // namespace flarestack::server
