// SPDX-License-Identifier: Apache-2.0
//
// GET /metrics: counters and gauges in the Prometheus text format.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/counters.h"
#include "base/memory/byte_budget.h"
#include "server/tenants/tenants.h"

namespace flarestack::server {

uint64_t ResidentBytes();  // memory of the process

struct ConfiguredLimits {
  uint64_t disk_bytes = 0;  // 0: no limit
  uint64_t memory_bytes = 0;
};

// The budgets that OTLP requests wait for.
struct RequestBudgets {
  const base::ByteBudget& bodies;
  const base::ByteBudget& work;
};

std::string MetricsText(const base::Counters& counters, const RequestBudgets& requests,
                        const ConfiguredLimits& limits);

// Accepted requests without a response yet, by port.
std::string InFlightText(std::initializer_list<std::pair<std::string_view, int>> ports);

// The figures of each store. With tenants they have a label, and only the tenants that the
// principal may access are included.
std::string StoreMetricsText(const Tenants& tenants, const net::Principal& principal);

}  // namespace flarestack::server
