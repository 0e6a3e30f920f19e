// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/event_log.h"
#include "base/status.h"
#include "cli/command/command.h"
#include "cli/command/failure.h"
#include "cli/command/makers.h"
#include "cli/command/usage_error.h"
#include "cli/flags/byte_limit.h"
#include "cli/record/agent_flags.h"
#include "cli/terminal/stop_signals.h"
#include "codec/otlp/profiles/protobuf_writer.h"
#include "codec/wire/reverse_writer.h"
#include "model/signal.h"
#include "net/address.h"
#include "net/http/http_server.h"
#include "query/scope/time_expression.h"
#include "record/agent/agent_metric_formats.h"
#include "record/agent/metrics_sender.h"
#include "record/export/exporter.h"
#include "record/export/otlp_environment.h"

namespace flarestack::cli {
namespace {

class AgentCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  AgentFlags agent_;
  record::exporting::OtlpTargetFlags target_;
  std::string spool_directory_;
  uint64_t spool_bytes_max_ = uint64_t{1} << 30;
  std::string metrics_;  // HOST:PORT; empty: no endpoint
  std::string metrics_interval_ = "30s";
  std::string log_level_ = "info";
};

constexpr std::chrono::seconds kStopGrace{5};
constexpr std::chrono::seconds kNamesGrace{1};  // wait for symbol tables of spooled requests

absl::StatusOr<std::chrono::milliseconds> ParseInterval(const std::string& text) {
  if (text == "0")
    return std::chrono::milliseconds(0);
  FLARE_ASSIGN(const uint64_t nanoseconds, query::ParseDuration(text));
  return std::chrono::ceil<std::chrono::milliseconds>(std::chrono::nanoseconds(nanoseconds));
}

// Returns nullptr if not requested.
absl::StatusOr<std::unique_ptr<net::HttpServer>> StartMetrics(const std::string& address,
                                                              std::function<std::string()> text) {
  if (address.empty())
    return nullptr;
  FLARE_ASSIGN(const net::Address listen, net::ParseAddress(address));
  net::HttpServerOptions options;
  options.listen = listen;
  options.worker_threads = 1;
  const auto answer = [](std::string body) {
    net::HttpResponse response = {.status = 200, .headers = {}, .body = std::move(body)};
    response.headers.Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
    return response;
  };
  options.routes.push_back({"GET", "/metrics", [=](net::HttpRequest&) { return answer(text()); }});
  options.routes.push_back({"GET", "/healthz", [=](net::HttpRequest&) { return answer("ok\n"); }});
  return net::HttpServer::Start(std::move(options));
}

// Encodes an ExportProfilesServiceRequest. Frees the batch before copying the result, which halves
// peak memory.
std::string Encoded(model::Batch batch) {
  codec::wire::ReverseWriter request(codec::otlp::EstimateProtobufBytes(batch));
  codec::otlp::EncodeProtobuf(batch, &request);
  batch = {};
  return std::string(request.view());
}

// Returns nullptr if metrics are off, or if their target is invalid: profiles matter more.
absl::StatusOr<std::unique_ptr<record::agent::MetricsSender>> StartSendingMetrics(
    const record::exporting::OtlpTargetFlags& flags, std::chrono::milliseconds interval,
    std::function<std::vector<record::agent::AgentMetric>()> read, base::EventLog* log) {
  if (interval.count() == 0)
    return nullptr;
  auto target =
      record::exporting::FindOtlpTarget(flags, record::exporting::ProcessVariable,
                                        record::exporting::ReadPemFile, model::Signal::kMetrics);
  if (!target.ok()) {
    log->Write(base::LogLevel::kWarn, "metrics.not_sent",
               {{"reason", base::Message(target.status())}});
    return nullptr;
  }
  // The profile exporter does not support JSON, so use protobuf for metrics too.
  if (target->protocol == record::exporting::OtlpProtocol::kHttpJson)
    target->protocol = record::exporting::OtlpProtocol::kHttpProtobuf;
  FLARE_ASSIGN(record::agent::MetricsOutput output,
               record::agent::MetricsOverOtlp(*std::move(target), log));
  return std::make_unique<record::agent::MetricsSender>(record::agent::MetricsSenderOptions{
      .interval = interval, .read = std::move(read), .output = std::move(output)});
}

// Symbolizes requests that were spooled before their symbol tables were ready.
record::exporting::Completer NamesFrom(std::shared_ptr<record::agent::HostSymbols> symbols) {
  if (symbols == nullptr)
    return nullptr;
  return [symbols = std::move(symbols)](std::string_view request) {
    return symbols->NameRequest(request, std::chrono::steady_clock::now() + kNamesGrace);
  };
}

}  // namespace

void AgentCommand::Define(CLI::App* app) {
  app->add_option("--endpoint", target_.endpoint,
                  "OTLP endpoint: http://HOST:4318 or grpc://HOST:4317 (default: "
                  "$OTEL_EXPORTER_OTLP_ENDPOINT, else grpc://127.0.0.1:4317)");
  app->add_option("--protocol", target_.protocol, "grpc or http/protobuf");
  app->add_option("--header", target_.headers, "header of each request; repeatable")
      ->allow_extra_args(false);
  app->add_option("--compression", target_.compression, "gzip, zstd or none");
  app->add_option("--ca", target_.ca_path,
                  "PEM file with the CA certificates that sign the server's certificate");
  app->add_option("--spool-dir", spool_directory_,
                  "spool profiles here while the server is unreachable (default: memory only)");
  AddSize(app, "--spool-limit", &spool_bytes_max_,
          "maximum spool size; the oldest profiles are dropped first (default 1 GiB)");
  agent_.Define(app);
  app->add_option("--metrics", metrics_,
                  "address for /metrics and /healthz, such as 127.0.0.1:4041 (default: off)");
  app->add_option(
         "--metrics-interval", metrics_interval_,
         "interval for sending the agent's own metrics to the endpoint, such as 30s; 0: never")
      ->capture_default_str();
  app->add_option("--log-level", log_level_, "minimum log level: info, warn, error or off")
      ->check(OneOf({"info", "warn", "error", "off"}))
      ->capture_default_str();
  app->footer(
      "Profiles every process on this host with eBPF and sends the profiles over OTLP. Needs "
      "root,\n"
      "or the capabilities that flarestack doctor lists. Reads the OTEL_EXPORTER_OTLP_... "
      "environment\n"
      "variables; flags take precedence.\n\n"
      "Examples:\n"
      "  flarestack agent                                   to a server on this machine\n"
      "  flarestack agent --endpoint grpc://collector:4317 --spool-dir /var/lib/flarestack/spool\n"
      "  flarestack agent --command nginx --events cpu -F 99");
}

int AgentCommand::Run() {
  auto options = agent_.Read();
  if (!options.ok())
    return Report(
        {"invalid flags", std::string(base::Message(options.status())), "flarestack help agent"},
        kUsage);
  auto target = record::exporting::FindOtlpTarget(target_, record::exporting::ProcessVariable);
  if (!target.ok())
    return Report({"invalid endpoint", std::string(base::Message(target.status())),
                   "--endpoint grpc://127.0.0.1:4317"},
                  kUsage);
  const auto metrics_interval = ParseInterval(metrics_interval_);
  if (!metrics_interval.ok())
    return Report({"invalid --metrics-interval",
                   std::string(base::Message(metrics_interval.status())), "--metrics-interval 30s"},
                  kUsage);
  const StopSignals signals;
  base::EventLog log(
      {.level_min = base::ParseLogLevel(log_level_).value_or(base::LogLevel::kInfo)});
  options->log = &log;
  if (const auto symbols = agent_.SymbolOptions(); symbols.has_value())
    options->symbols = std::make_shared<record::agent::HostSymbols>(*symbols);
  auto exporter = record::exporting::Exporter::Start(
      {.target = *std::move(target),
       .spool = {.directory = spool_directory_, .disk_bytes_max = spool_bytes_max_},
       .log = &log,
       .complete = NamesFrom(options->symbols)});
  if (!exporter.ok())
    return Report({"cannot start sending", std::string(base::Message(exporter.status())), ""},
                  kFailed);
  auto agent = record::agent::Agent::Start(*options, [&](record::agent::NamedBatch named) {
    (*exporter)->Offer(Encoded(std::move(named.batch)),
                       named.has_all_names ? record::exporting::Content::kFinal
                                           : record::exporting::Content::kIncomplete);
    return absl::OkStatus();  // the exporter retries, spools and counts
  });
  if (!agent.ok()) {
    return Report(
        {"cannot record", std::string(base::Message(agent.status())), "flarestack doctor"},
        absl::IsPermissionDenied(agent.status()) ? kNoPrivilege : kFailed);
  }
  const auto read_metrics = [&] {
    const record::exporting::ExporterStats sent = (*exporter)->stats();
    return record::agent::AgentMetrics((*agent)->stats(), &sent);
  };
  auto metrics =
      StartMetrics(metrics_, [&] { return record::agent::ToPrometheusText(read_metrics()); });
  if (!metrics.ok())
    return Report({"cannot serve /metrics", std::string(base::Message(metrics.status())),
                   "--metrics 127.0.0.1:4041"},
                  kFailed);
  auto metrics_sender = StartSendingMetrics(target_, *metrics_interval, read_metrics, &log);
  if (!metrics_sender.ok())
    return Report({"cannot send metrics", std::string(base::Message(metrics_sender.status())),
                   "--metrics-interval 0"},
                  kFailed);
  fmt::print(stderr, "recording this host; interrupt to stop\n");
  signals.Wait();
  signals.Release();
  (*agent)->Stop();
  (*exporter)->Stop(kStopGrace);
  if (*metrics_sender != nullptr)
    (*metrics_sender)->Stop();
  const record::exporting::ExporterStats stats = (*exporter)->stats();
  fmt::print(stderr, "sent {} of {} requests{}\n", stats.sent, stats.offered,
             stats.last_error.empty() ? "" : "; last error: " + stats.last_error);
  return kSuccess;
}

std::unique_ptr<Command> MakeAgentCommand() { return std::make_unique<AgentCommand>(); }

}  // namespace flarestack::cli
