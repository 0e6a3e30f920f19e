// SPDX-License-Identifier: Apache-2.0
#include "server/upkeep/metrics_text.h"

#include <unistd.h>

#include <fstream>

#include "base/text/text.h"

namespace flarestack::server {
namespace {

void AppendGauge(std::string_view name, std::string_view help, uint64_t value, std::string* out) {
  base::StrAppend(out, "# HELP ", name, " ", help, "\n# TYPE ", name, " gauge\n", name, " ", value,
                  "\n");
}

}  // namespace

uint64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  uint64_t total_pages = 0;
  uint64_t resident_pages = 0;
  statm >> total_pages >> resident_pages;
  return resident_pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

std::string MetricsText(const base::Counters& counters, const RequestBudgets& requests,
                        const ConfiguredLimits& limits) {
  std::string text = counters.Text();
  AppendGauge("flarestack_process_resident_bytes", "memory of the process", ResidentBytes(), &text);
  AppendGauge("flarestack_memory_limit_bytes", "limit set by --memory-limit", limits.memory_bytes,
              &text);
  AppendGauge("flarestack_disk_limit_bytes", "limit set by --disk-limit; 0 is no limit",
              limits.disk_bytes, &text);
  const base::ByteBudget& bodies = requests.bodies;
  AppendGauge("flarestack_requests_bytes", "bytes of OTLP requests being read or queued",
              bodies.current_bytes(), &text);
  AppendGauge("flarestack_requests_bytes_max", "peak since the start", bodies.high_water_bytes(),
              &text);
  AppendGauge("flarestack_requests_bytes_limit", "limit above which requests queue",
              bodies.capacity_bytes(), &text);
  const base::ByteBudget& work = requests.work;
  AppendGauge("flarestack_work_bytes", "bytes reserved for requests and responses in progress",
              work.current_bytes(), &text);
  AppendGauge("flarestack_work_bytes_max", "peak since the start", work.high_water_bytes(), &text);
  AppendGauge("flarestack_work_bytes_limit", "limit above which requests queue",
              work.capacity_bytes(), &text);
  return text;
}

std::string InFlightText(std::initializer_list<std::pair<std::string_view, int>> ports) {
  constexpr std::string_view kName = "flarestack_requests_in_flight";
  std::string text = base::StrCat(
      "# HELP ", kName, " accepted requests without a response yet\n# TYPE ", kName, " gauge\n");
  for (const auto& [port, count] : ports)
    base::StrAppend(&text, kName, "{port=\"", port, "\"} ", count, "\n");
  return text;
}

std::string StoreMetricsText(const Tenants& tenants, const net::Principal& principal) {
  struct Figure {
    std::string_view name;
    std::string_view help;
    uint64_t store::StoreStats::*value;
  };
  constexpr Figure kFigures[] = {
      {"flarestack_store_disk_bytes", "tables and log of the store",
       &store::StoreStats::disk_bytes},
      {"flarestack_store_memory_bytes", "caches and write buffers of the store",
       &store::StoreStats::memory_bytes},
      {"flarestack_store_series", "of samples", &store::StoreStats::series},
      {"flarestack_store_stacks", "distinct", &store::StoreStats::stacks},
  };
  std::vector<std::pair<std::string, store::StoreStats>> shown;
  const std::vector<Tenants::Named> all = tenants.All();
  for (const auto& [name, store] : all) {
    if (tenants.is_on() && !MayUse(principal, name))
      continue;
    if (const auto stats = store->Stats(); stats.ok())
      shown.emplace_back(name, *stats);
  }
  std::string text;
  for (const Figure& figure : kFigures) {
    base::StrAppend(&text, "# HELP ", figure.name, " ", figure.help, "\n# TYPE ", figure.name,
                    " gauge\n");
    for (const auto& [name, stats] : shown) {
      // Tenant names have no characters that need escaping.
      const std::string label = tenants.is_on() ? base::StrCat("{tenant=\"", name, "\"}") : "";
      base::StrAppend(&text, figure.name, label, " ", stats.*figure.value, "\n");
    }
  }
  if (tenants.is_on() && principal.tenants.empty()) {
    AppendGauge("flarestack_tenants", "that have a store", all.size(), &text);
    AppendGauge("flarestack_tenants_limit", "limit above which new ones are rejected",
                tenants.tenants_max(), &text);
  }
  return text;
}

}  // namespace flarestack::server
