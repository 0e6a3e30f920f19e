// SPDX-License-Identifier: Apache-2.0
#include "server/upkeep/health_source.h"

#include "server/upkeep/metrics_text.h"

namespace flarestack::server {

std::vector<Drop> HealthSource::Drops() const {
  struct Row {
    std::string_view counter;
    std::string_view what;
    std::string_view reason;  // used if the counter has no `reason` label
  };
  constexpr Row kRows[] = {
      {"flarestack_otlp_items_rejected_total", "items", ""},
      {"flarestack_otlp_requests_failed_total", "requests", ""},
      {"flarestack_requests_refused_total", "requests", ""},
      {"flarestack_store_dropped_hours_total", "hours", ""},
      {"flarestack_otlp_attributes_dropped_total", "attributes", "attribute_limit"},
      {"flarestack_otlp_attribute_values_cut_total", "attribute values", "attribute_limit"},
      {"flarestack_store_duplicate_profiles_total", "profiles", "duplicate"},
  };
  std::vector<Drop> drops;
  for (const Row& row : kRows) {
    for (const base::Counters::Count& count : parts_.counters->Find(row.counter)) {
      std::string_view reason = count.Label("reason");
      if (reason.empty())
        reason = row.reason.empty() ? count.Label("code") : row.reason;
      drops.push_back({.what = std::string(row.what),
                       .signal = std::string(count.Label("signal")),
                       .port = std::string(count.Label("port")),
                       .reason = std::string(reason),
                       .count = count.value});
    }
  }
  return drops;
}

uint64_t HealthSource::Count(std::string_view name, std::string_view label,
                             std::string_view value) const {
  uint64_t sum = 0;
  for (const base::Counters::Count& count : parts_.counters->Find(name)) {
    if (label.empty() || count.Label(label) == value)
      sum += count.value;
  }
  return sum;
}

HealthFacts HealthSource::FactsFor(const std::string& tenant, uint64_t now_nanos) const {
  HealthFacts facts;
  facts.now_nanos = now_nanos;
  facts.started_nanos = started_nanos_;
  facts.ingest = parts_.ledger->ReportFor(tenant);
  facts.drops = Drops();
  store::Store* const store = parts_.tenants->ForReading(tenant).store;
  const absl::StatusOr<store::StoreStats> stats =
      store == nullptr ? store::StoreStats() : store->Stats();
  if (stats.ok())
    facts.store = *stats;
  else
    facts.store_status = stats.status();
  facts.is_full = parts_.room->is_full();
  facts.disk_bytes_max = limits_.disk_bytes_max;
  facts.series_max = limits_.series_max;
  facts.reopened = Count("flarestack_store_reopenings_total", "result", "ok");
  facts.reopen_failed = Count("flarestack_store_reopenings_total", "result", "failed");
  facts.housekeeping_failed = Count("flarestack_housekeeping_failed_total", "", "");
  if (parts_.scratch != nullptr)
    facts.scratch = parts_.scratch->UsageOf(tenant);
  facts.resident_bytes = ResidentBytes();
  facts.memory_bytes_max = limits_.memory_bytes_max;
  facts.requests_bytes = parts_.budget->current_bytes();
  facts.requests_bytes_high = parts_.budget->high_water_bytes();
  facts.requests_bytes_max = parts_.budget->capacity_bytes();
  facts.has_tls = limits_.has_tls;
  facts.otlp_grpc_port = otlp_grpc_port_;
  facts.otlp_http_port = otlp_http_port_;
  return facts;
}

}  // namespace flarestack::server
