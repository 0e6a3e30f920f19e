// SPDX-License-Identifier: Apache-2.0
#include "server/api/health/health.h"

#include "base/clock.h"
#include "base/status.h"
#include "model/signal.h"
#include "server/api/endpoints.h"
#include "server/api/openapi.h"
#include "server/api/value_json.h"

namespace flarestack::server::api {
namespace {

std::string_view Name(Problem::Severity severity) {
  switch (severity) {
    case Problem::Severity::kError:
      return "error";
    case Problem::Severity::kWarning:
      return "warning";
    case Problem::Severity::kInfo:
      break;
  }
  return "info";
}

Json OptionalTime(uint64_t nanos) { return nanos == 0 ? Json() : TimeJson(nanos); }

Json IngestJson(const HealthFacts& facts) {
  Json json = Json::object();
  for (const model::Signal signal : model::kSignals) {
    const SignalTotals& totals = facts.ingest.of(signal);
    json[std::string(model::SignalName(signal))] = {
        {"requests", totals.requests}, {"failed", totals.failed},
        {"items", totals.items},       {"rejected", totals.rejected},
        {"bytes", totals.bytes},       {"last_seen", OptionalTime(totals.last_nanos)}};
  }
  return json;
}

Json SendersJson(const HealthFacts& facts) {
  Json rows = Json::array();
  for (const SenderTotals& sender : facts.ingest.senders) {
    rows.push_back({{"host", sender.host},
                    {"service", sender.service},
                    {"requests", sender.requests},
                    {"failed", sender.failed},
                    {"bytes", sender.bytes},
                    {"last_seen", OptionalTime(sender.last_nanos)},
                    {"last_error", sender.last_error}});
  }
  return rows;
}

Json DropsJson(const HealthFacts& facts) {
  Json rows = Json::array();
  for (const Drop& drop : facts.drops) {
    rows.push_back({{"what", drop.what},
                    {"signal", drop.signal},
                    {"port", drop.port},
                    {"reason", drop.reason},
                    {"count", drop.count}});
  }
  return rows;
}

Json StoreJson(const HealthFacts& facts) {
  Json signals = Json::object();
  for (const model::Signal signal : model::kSignals)
    signals[std::string(model::SignalName(signal))] = {
        {"oldest", OptionalTime(facts.store.oldest[signal])},
        {"newest", OptionalTime(facts.store.newest[signal])}};
  const std::string_view state =
      !facts.store_status.ok() ? "unavailable" : (facts.is_full ? "full" : "open");
  return {{"state", state},
          {"disk_bytes", facts.store.disk_bytes},
          {"disk_limit_bytes", facts.disk_bytes_max},
          {"memory_bytes", facts.store.memory_bytes},
          {"waiting_bytes", facts.store.waiting_bytes},
          {"series", facts.store.series},
          {"series_limit", facts.series_max},
          {"stacks", facts.store.stacks},
          {"oldest", OptionalTime(facts.store.oldest_nanos)},
          {"newest", OptionalTime(facts.store.newest_nanos)},
          {"signals", std::move(signals)},
          {"reopened", facts.reopened},
          {"reopen_failed", facts.reopen_failed}};
}

absl::StatusOr<Answer> GetHealth(Call& call) {
  if (call.health == nullptr)
    return absl::NotFoundError("this server does not report its health");
  return Answer{.json = HealthJson(call.health->FactsFor(call.tenant, call.now_nanos))};
}

}  // namespace

Json HealthJson(const HealthFacts& facts) {
  const std::vector<Problem> problems = FindProblems(facts);
  Json rows = Json::array();
  for (const Problem& problem : problems) {
    rows.push_back({{"severity", Name(problem.severity)},
                    {"code", problem.code},
                    {"message", problem.message},
                    {"advice", problem.advice}});
  }
  const bool is_well = problems.empty() || problems.front().severity == Problem::Severity::kInfo;
  const uint64_t running = facts.now_nanos - std::min(facts.started_nanos, facts.now_nanos);
  return {{"status", is_well ? "ok" : Name(problems.front().severity)},
          {"problems", std::move(rows)},
          {"version", ProgramVersion()},
          {"started", TimeJson(facts.started_nanos)},
          {"uptime_seconds", running / base::kNanosPerSecond},
          {"ingest", IngestJson(facts)},
          {"drops", DropsJson(facts)},
          {"senders", SendersJson(facts)},
          {"senders_forgotten", facts.ingest.senders_forgotten},
          {"store", StoreJson(facts)},
          {"scratch",
           {{"uploads", facts.scratch.uploads},
            {"disk_bytes", facts.scratch.disk_bytes},
            {"disk_limit_bytes", facts.scratch.disk_bytes_max}}},
          {"memory",
           {{"resident_bytes", facts.resident_bytes},
            {"limit_bytes", facts.memory_bytes_max},
            {"requests_bytes", facts.requests_bytes},
            {"requests_bytes_max", facts.requests_bytes_high},
            {"requests_bytes_limit", facts.requests_bytes_max}}},
          {"listening",
           {{"scheme", facts.has_tls ? "https" : "http"},
            {"otlp_grpc_port", facts.otlp_grpc_port},
            {"otlp_http_port", facts.otlp_http_port}}}};
}

std::vector<Endpoint> HealthEndpoints() {
  return {{.path = "/health",
           .summary = "server health: data received, data dropped, problems and fixes",
           .parameters = {},
           .responses = {"Health"},
           .handler = GetHealth}};
}

}  // namespace flarestack::server::api
