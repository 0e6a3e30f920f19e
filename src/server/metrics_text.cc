// SPDX-License-Identifier: Apache-2.0
#include "server/metrics_text.h"

#include <unistd.h>

#include <fstream>

#include "base/text.h"

namespace flarestack::server {
namespace {

void AppendGauge(std::string_view name, std::string_view help, uint64_t value, std::string* out) {
  base::StrAppend(out, "# HELP ", name, " ", help, "\n# TYPE ", name, " gauge\n", name, " ", value,
                  "\n");
}

uint64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  uint64_t total_pages = 0;
  uint64_t resident_pages = 0;
  statm >> total_pages >> resident_pages;
  return resident_pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

std::string MetricsText(const base::Counters& counters, store::Store* store,
                        const base::ByteBudget& requests, const ConfiguredLimits& limits) {
  std::string text = counters.Text();
  AppendGauge("flarestack_process_resident_bytes", "memory of the process", ResidentBytes(), &text);
  AppendGauge("flarestack_memory_limit_bytes", "what --memory-limit allows", limits.memory_bytes,
              &text);
  AppendGauge("flarestack_disk_limit_bytes", "what --disk-limit allows; 0 is all there is",
              limits.disk_bytes, &text);
  AppendGauge("flarestack_requests_bytes", "of requests on their way", requests.current_bytes(),
              &text);
  AppendGauge("flarestack_requests_bytes_max", "the most of it so far", requests.high_water_bytes(),
              &text);
  AppendGauge("flarestack_requests_bytes_limit", "beyond this requests are refused",
              requests.capacity_bytes(), &text);
  if (const auto stats = store->Stats(); stats.ok()) {
    AppendGauge("flarestack_store_disk_bytes", "tables and log of the store", stats->disk_bytes,
                &text);
    AppendGauge("flarestack_store_memory_bytes", "caches and write buffers of the store",
                stats->memory_bytes, &text);
    AppendGauge("flarestack_store_series", "of samples", stats->series, &text);
    AppendGauge("flarestack_store_stacks", "distinct", stats->stacks, &text);
  }
  return text;
}

}  // namespace flarestack::server
