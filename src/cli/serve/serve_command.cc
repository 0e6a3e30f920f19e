// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/serve_command.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "base/memory/freed_memory.h"
#include "base/status.h"
#include "cli/command/failure.h"
#include "cli/command/makers.h"
#include "cli/command/usage_error.h"
#include "cli/flags/byte_limit.h"
#include "cli/flags/settings.h"
#include "cli/terminal/browser.h"
#include "cli/terminal/machine_memory.h"
#include "cli/terminal/stop_signals.h"
#include "model/gauge_type.h"
#include "model/signal.h"
#include "query/scope/time_expression.h"
#include "server/ui/ui_assets.h"
#include "symbol/sources/debuginfod.h"

namespace flarestack::cli {
namespace {

constexpr std::chrono::seconds kStopGrace{8};

constexpr std::array<std::pair<model::Signal, std::string_view>, model::kSignals.size()>
    kSignalRetentions = {{{model::Signal::kProfiles, "--retention-profiles"},
                          {model::Signal::kTraces, "--retention-traces"},
                          {model::Signal::kLogs, "--retention-logs"},
                          {model::Signal::kMetrics, "--retention-metrics"}}};

// $XDG_DATA_HOME/flarestack, as in the XDG base directory specification.
std::string DefaultDataDir() {
  const char* const data_home = std::getenv("XDG_DATA_HOME");
  if (data_home != nullptr && *data_home != '\0')
    return std::string(data_home) + "/flarestack";
  const char* const home = std::getenv("HOME");
  return home != nullptr ? std::string(home) + "/.local/share/flarestack" : "flarestack-data";
}

// Each connection needs a descriptor, a gRPC connection two. The default limit is often too low.
void AllowManyFiles() {
  rlimit files = {};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
}

std::string NextStep(const absl::Status& status) {
  const std::string_view message = base::Message(status);
  if (message.find("can be reached from outside") != std::string_view::npos)
    return "set --tls-cert, --tls-key and --auth-file, or --insecure on a trusted network";
  if (message.find("another process uses") != std::string_view::npos)
    return "stop the other process, or use another --data-dir";
  if (message.find("--tenants") != std::string_view::npos)
    return "start it as before, or use another --data-dir";
  if (message.find("in use") != std::string_view::npos)
    return "use another port, or port 0 for any free one";
  return "flarestack help serve";
}

// A URL that a browser on this machine can open, also when listening on all interfaces.
std::string PageAddress(const server::Server& server) {
  net::Address address = server.http();
  if (address.host.empty() || address.host == "0.0.0.0" || address.host == "::")
    address.host = "localhost";
  return base::StrCat(server.scheme(), "://", net::ToString(address));
}

}  // namespace

void ServeCommand::Define(CLI::App* app) {
  app_ = app;
  options_.data_dir = DefaultDataDir();
  options_.memory_bytes_max = MachineMemoryBytes() / 4;
  app->add_option("--data-dir", options_.data_dir, "data directory")->capture_default_str();
  app->add_option("--otlp-grpc", otlp_grpc_, "address for OTLP/gRPC; port 0 picks a free one")
      ->capture_default_str();
  app->add_option("--otlp-http", otlp_http_, "address for OTLP/HTTP")->capture_default_str();
  app->add_option("--http", http_, "address for the UI, API, /metrics and /healthz")
      ->capture_default_str();
  app->add_option("--retention", retention_,
                  "retention time, such as 12h or 30d; 0 keeps data forever")
      ->capture_default_str();
  AddSize(
      app, "--disk-limit", &options_.disk_bytes_max,
      "maximum disk usage, such as 50GiB; the oldest data is deleted first (default: no limit)");
  AddSize(app, "--memory-limit", &options_.memory_bytes_max,
          "maximum memory usage (default: a quarter of system memory)");
  app->option_defaults()->group("Retention and durability");
  for (const auto& [signal, flag] : kSignalRetentions) {
    app->add_option(std::string(flag), signal_retentions_[static_cast<size_t>(signal)],
                    "retention of this signal (default: --retention)");
  }
  AddSize(app, "--disk-reserve", &options_.disk_free_bytes_min,
          "minimum free disk space; below it new data is rejected (default 64 MiB)");
  app->add_option("--durability", durability_,
                  "fsync: acknowledged data survives a power failure; os: only a process crash")
      ->check(OneOf({"fsync", "os"}))
      ->capture_default_str();
  limits_.Define(app, &options_.limits);
  app->option_defaults()->group("Profiles and symbols");
  app->add_option("--gauge-type", gauge_types_,
                  "gauge sample type, such as inuse_space: averaged over time instead of summed; "
                  "repeatable, or comma-separated")
      ->delimiter(',');
  app->add_option("--symbol-path", options_.symbols.symbol_paths,
                  "local directory or file with symbols; repeatable");
  app->add_option("--debuginfod", debuginfod_,
                  "URLs of debuginfod servers, space-separated (default: $DEBUGINFOD_URLS)");
  app->add_flag("!--no-host-symbols", options_.symbols.uses_host_files,
                "do not search /usr/lib/debug or the paths in profiles");
  sources_.Define(app);
  AddSize(app, "--max-symbol-bytes", &options_.symbols.upload_bytes_max,
          "maximum size of pushed executables and debug files per tenant (default 16 GiB)");
  app->option_defaults()->group("Security and tenants");
  app->add_flag("--tenants", options_.has_tenants,
                "isolate data by X-Scope-OrgID; requests without it are rejected");
  app->add_option("--max-tenants", options_.tenants_max,
                  "maximum tenants; further ones are rejected")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app->add_option("--tls-cert", options_.tls_certificate_path,
                  "PEM file with the server certificate");
  app->add_option("--tls-key", options_.tls_key_path, "PEM file with the private key");
  app->add_option(
      "--tls-client-ca", options_.tls_client_ca_path,
      "PEM file with CA certificates; clients must present a certificate signed by one");
  app->add_option("--auth-file", options_.auth_path,
                  "file with tokens, users and client certificates, see flarestack help auth");
  app->add_flag("--insecure", options_.is_insecure,
                "allow non-loopback addresses without TLS and auth");
  app->option_defaults()->group("Other");
  app->add_option("--ui-dir", options_.ui_dir,
                  "serve the UI from this directory, such as ui/dist, instead of the built-in one");
  app->add_flag("!--no-open", opens_browser_,
                "do not open a browser (default: open one from a terminal with a display)");
  app->add_option("--log-format", log_format_, "log format on standard error: text or json")
      ->check(OneOf({"text", "json"}))
      ->capture_default_str();
  app->add_option("--log-level", log_level_, "minimum log level: info, warn, error or off")
      ->check(OneOf({"info", "warn", "error", "off"}))
      ->capture_default_str();
  app->add_option("--config", config_path_,
                  "YAML file with these flags, instead of the default locations");
  app->option_defaults()->group(kFlags);
  app->footer(
      "Each flag can also be set by an environment variable, such as FLARESTACK_DATA_DIR, or a "
      "key\n"
      "below `serve:` in ./flarestack.yaml, $XDG_CONFIG_HOME/flarestack/flarestack.yaml or\n"
      "/etc/flarestack/flarestack.yaml, in order of precedence. See flarestack help config.\n\n"
      "Examples:\n"
      "  flarestack serve                                    on this machine only\n"
      "  flarestack serve --data-dir /srv/flarestack --retention 30d --disk-limit 50GiB\n"
      "  flarestack send cpu.pb.gz --endpoint http://127.0.0.1:4318\n"
      "  curl 'http://127.0.0.1:4040/api/v1/export?format=folded&from=now-1h'");
}

int ServeCommand::Run() {
  if (const auto settings = ApplySettings("serve", ProcessSources(config_path_), app_);
      !settings.ok()) {
    return Report({"invalid configuration", std::string(base::Message(settings.status())),
                   "flarestack help serve    lists the flags; the keys have the same names"},
                  kUsage);
  }
  if (const std::optional<Failure> failure = ReadOptions(); failure.has_value())
    return Report(*failure, kUsage);
  return Serve();
}

std::optional<Failure> ServeCommand::ReadOptions() {
  const auto read_address = [](const std::string& text, net::Address* address) {
    auto parsed = net::ParseAddress(text);
    if (parsed.ok())
      *address = *std::move(parsed);
    return parsed.status();
  };
  for (const absl::Status& status :
       {read_address(otlp_grpc_, &options_.otlp_grpc),
        read_address(otlp_http_, &options_.otlp_http), read_address(http_, &options_.http)}) {
    if (!status.ok())
      return Failure{"cannot listen", std::string(base::Message(status)),
                     "use HOST:PORT, such as 127.0.0.1:4317"};
  }
  if (std::optional<Failure> failure = ReadRetention(); failure.has_value())
    return failure;
  if (const char* const urls = std::getenv("DEBUGINFOD_URLS");
      debuginfod_.empty() && urls != nullptr)
    debuginfod_ = urls;
  options_.symbols.debuginfod_urls = symbol::ParseDebuginfodUrls(debuginfod_);
  if (std::optional<Failure> failure = sources_.Read(&options_.sources); failure.has_value())
    return failure;
  model::AddGaugeTypes(gauge_types_);
  options_.sync_each_commit = durability_ == "fsync";
  options_.log.format = log_format_ == "json" ? base::LogFormat::kJson : base::LogFormat::kText;
  options_.log.level_min = base::ParseLogLevel(log_level_).value_or(base::LogLevel::kInfo);
  return limits_.Read();
}

std::optional<Failure> ServeCommand::ReadRetention() {
  for (const auto& [signal, signal_flag] : kSignalRetentions) {
    const std::string& own = signal_retentions_[static_cast<size_t>(signal)];
    const std::string& text = own.empty() ? retention_ : own;
    if (text == "0")
      continue;
    const auto retention = query::ParseDuration(text);
    if (!retention.ok()) {
      return Failure{base::StrCat("cannot use ", own.empty() ? "--retention" : signal_flag),
                     std::string(base::Message(retention.status())),
                     "a duration such as 12h or 30d, or 0"};
    }
    options_.retention[signal] = *retention;
  }
  return std::nullopt;
}

int ServeCommand::Serve() {
  const StopSignals signals;
  std::signal(SIGPIPE, SIG_IGN);  // a closed log pipe must not end the server
  AllowManyFiles();
  base::KeepFreedMemory(options_.memory_bytes_max);
  auto started = server::Server::Start(options_);
  if (!started.ok()) {
    const bool is_usage = absl::IsInvalidArgument(started.status());
    return Report(
        {"cannot start", std::string(base::Message(started.status())), NextStep(started.status())},
        is_usage ? kUsage : kFailed);
  }
  server::Server& server = **started;
  fmt::print("open {} in a browser\n", PageAddress(server));
  fmt::print("  data       {}\n", options_.data_dir);
  fmt::print("  OTLP/gRPC  {}\n", net::ToString(server.otlp_grpc()));
  fmt::print("  OTLP/HTTP  {}://{}\n", server.scheme(), net::ToString(server.otlp_http()));
  fmt::print("  UI and API {}://{}\n", server.scheme(), net::ToString(server.http()));
  fmt::print("send to it:  flarestack send FILE --endpoint {}://{}\n", server.scheme(),
             net::ToString(server.otlp_http()));
  OnReady(&server);
  std::fflush(stdout);
  // A system service has no terminal. Without a browser, the URL is already printed above.
  const bool has_pages = !server::UiAssets().empty() || !options_.ui_dir.empty();
  if (opens_browser_ && has_pages && isatty(STDOUT_FILENO) == 1)
    OpenBrowser(PageAddress(server)).IgnoreError();

  signals.Wait();
  signals.Release();
  BeforeStop();
  if (const absl::Status status = server.Stop(kStopGrace); !status.ok())
    return Report({"some requests did not finish", std::string(base::Message(status)), ""},
                  kFailed);
  return kSuccess;
}

std::unique_ptr<Command> MakeServeCommand() { return std::make_unique<ServeCommand>(); }

}  // namespace flarestack::cli
