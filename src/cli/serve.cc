// SPDX-License-Identifier: Apache-2.0
#include "cli/serve.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "base/freed_memory.h"
#include "base/status.h"
#include "cli/browser.h"
#include "cli/byte_limit.h"
#include "cli/failure.h"
#include "cli/machine_memory.h"
#include "cli/settings.h"
#include "cli/stop_signals.h"
#include "model/gauge_type.h"
#include "query/time_expression.h"
#include "server/ui_assets.h"
#include "symbol/debuginfod.h"

namespace flarestack::cli {
namespace {

constexpr std::chrono::seconds kStopGrace{8};

constexpr std::array<std::pair<store::Signal, std::string_view>, store::kSignals.size()>
    kSignalRetentions = {{{store::Signal::kProfiles, "--retention-profiles"},
                          {store::Signal::kTraces, "--retention-traces"},
                          {store::Signal::kLogs, "--retention-logs"},
                          {store::Signal::kMetrics, "--retention-metrics"}}};

// $XDG_DATA_HOME/flarestack, as the desktop's rules have it.
std::string DefaultDataDir() {
  const char* const data_home = std::getenv("XDG_DATA_HOME");
  if (data_home != nullptr && *data_home != '\0')
    return std::string(data_home) + "/flarestack";
  const char* const home = std::getenv("HOME");
  return home != nullptr ? std::string(home) + "/.local/share/flarestack" : "flarestack-data";
}

// A connection is a descriptor, one of gRPC two; what the shell allows by default is often too few.
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
    return "give --tls-cert, --tls-key and --auth-file, or --insecure where the network is trusted";
  if (message.find("another process uses") != std::string_view::npos)
    return "stop the other one, or choose another --data-dir";
  if (message.find("--tenants") != std::string_view::npos)
    return "start it as before, or choose another --data-dir";
  if (message.find("in use") != std::string_view::npos)
    return "choose another port, or port 0 for any that is free";
  return "flarestack help serve";
}

// An address that a browser on this machine can open, also where we listen on all interfaces.
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
  app->add_option("--data-dir", options_.data_dir, "where data is kept")->capture_default_str();
  app->add_option("--otlp-grpc", otlp_grpc_, "HOST:PORT for OTLP/gRPC; port 0 is any free one")
      ->capture_default_str();
  app->add_option("--otlp-http", otlp_http_, "HOST:PORT for OTLP/HTTP")->capture_default_str();
  app->add_option("--http", http_, "HOST:PORT for the API, /metrics and /healthz")
      ->capture_default_str();
  app->add_option("--retention", retention_,
                  "how long data is kept, such as 12h or 30d; 0 for ever")
      ->capture_default_str();
  for (const auto& [signal, flag] : kSignalRetentions) {
    app->add_option(std::string(flag), signal_retentions_[static_cast<size_t>(signal)],
                    "the same for this signal alone (default: as --retention)");
  }
  AddSize(
      app, "--disk-limit", &options_.disk_bytes_max,
      "maximum disk usage, such as 50GiB; the oldest data is deleted first (default: no limit)");
  AddSize(app, "--disk-reserve", &options_.disk_free_bytes_min,
          "bytes of the file system that stay free; then nothing is taken (default 64 MiB)");
  AddSize(app, "--memory-limit", &options_.memory_bytes_max,
          "most bytes of memory (default: a quarter of the machine's)");
  app->add_option("--durability", durability_,
                  "fsync: what is acknowledged survives a power cut; os: the end of the process")
      ->check(CLI::IsMember({"fsync", "os"}))
      ->capture_default_str();
  limits_.Define(app, &options_.limits);
  app->add_option("--gauge-type", gauge_types_,
                  "sample type that is a state, such as inuse_space: averaged over time instead of "
                  "summed; may be given again, or with commas")
      ->delimiter(',');
  app->add_option("--symbol-path", options_.symbols.symbol_paths,
                  "directory or file of this host that has symbols; may be given again");
  app->add_option("--debuginfod", debuginfod_,
                  "URLs of debuginfod servers, with spaces between (default: $DEBUGINFOD_URLS)");
  app->add_flag("!--no-host-symbols", options_.symbols.uses_host_files,
                "look neither at /usr/lib/debug nor at the paths that profiles name");
  sources_.Define(app);
  AddSize(
      app, "--max-symbol-bytes", &options_.symbols.upload_bytes_max,
      "most bytes of executables and debug files that are pushed, of each tenant (default 16 GiB)");
  app->add_flag("--tenants", options_.has_tenants,
                "keep the data of each X-Scope-OrgID apart; requests without it are refused");
  app->add_option("--max-tenants", options_.tenants_max, "most tenants; new ones are then refused")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app->add_option("--tls-cert", options_.tls_certificate_path, "PEM file with the certificate");
  app->add_option("--tls-key", options_.tls_key_path, "PEM file with its key");
  app->add_option("--tls-client-ca", options_.tls_client_ca_path,
                  "PEM file: clients must show a certificate signed by one of these");
  app->add_option("--auth-file", options_.auth_path,
                  "file of tokens, users and client certificates: who may read and write");
  app->add_option("--ui-dir", options_.ui_dir,
                  "serve the pages of this folder, such as ui/dist, instead of the built-in ones");
  app->add_flag(
      "!--no-open", opens_browser_,
      "print the address and open no browser; one is opened from a terminal with a display");
  app->add_option("--log-format", log_format_, "of the lines on standard error: text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app->add_option("--log-level", log_level_, "the least that is written: info, warn, error or off")
      ->check(CLI::IsMember({"info", "warn", "error", "off"}))
      ->capture_default_str();
  app->add_flag("--insecure", options_.is_insecure,
                "listen on other addresses than loopback without TLS and auth");
  app->add_option("--config", config_path_,
                  "YAML file with these flags, instead of the ones that are looked for");
  app->footer(
      "Each flag may also be a variable, such as FLARESTACK_DATA_DIR, or a key below `serve:` in\n"
      "./flarestack.yaml, $XDG_CONFIG_HOME/flarestack/flarestack.yaml or\n"
      "/etc/flarestack/flarestack.yaml; the first one that has it counts. See flarestack help "
      "config.\n"
      "\nExamples:\n"
      "  flarestack serve                                    on this machine alone\n"
      "  flarestack serve --data-dir /srv/flarestack --retention 30d --disk-limit 50GiB\n"
      "  flarestack send cpu.pb.gz --endpoint http://127.0.0.1:4318\n"
      "  curl 'http://127.0.0.1:4040/api/v1/export?format=folded&from=now-1h'");
}

int ServeCommand::Run() {
  if (const auto settings = ApplySettings("serve", ProcessSources(config_path_), app_);
      !settings.ok()) {
    return Report({"cannot use the configuration", std::string(base::Message(settings.status())),
                   "flarestack help serve    lists the flags, which are also the keys"},
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
                     "write HOST:PORT, such as 127.0.0.1:4317"};
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
  std::signal(SIGPIPE, SIG_IGN);  // a log that nobody reads any more is no reason to end
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
  fmt::print("  API        {}://{}\n", server.scheme(), net::ToString(server.http()));
  fmt::print("send to it:  flarestack send FILE --endpoint {}://{}\n", server.scheme(),
             net::ToString(server.otlp_http()));
  OnReady(&server);
  std::fflush(stdout);
  // A service of the system writes to no terminal. Without a browser the address is printed above.
  const bool has_pages = !server::UiAssets().empty() || !options_.ui_dir.empty();
  if (opens_browser_ && has_pages && isatty(STDOUT_FILENO) == 1)
    OpenBrowser(PageAddress(server)).IgnoreError();

  signals.Wait();
  signals.Release();
  BeforeStop();
  if (const absl::Status status = server.Stop(kStopGrace); !status.ok())
    return Report({"not all requests could finish", std::string(base::Message(status)), ""},
                  kFailed);
  return kSuccess;
}

}  // namespace flarestack::cli
