// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "base/status.h"
#include "cli/command/command.h"
#include "cli/command/failure.h"
#include "cli/command/makers.h"
#include "cli/serve/demo_feed.h"
#include "cli/serve/demo_guide.h"
#include "cli/terminal/browser.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/stop_signals.h"
#include "cli/terminal/temporary_folder.h"
#include "demo/shop_sources.h"
#include "demo/timeline.h"
#include "server/server.h"

namespace flarestack::cli {
namespace {

// The data folder of the demo: a temporary folder that the destructor removes, or one that is kept.
class DemoFolder {
 public:
  // An empty `path` selects a temporary name. Returns kFailedPrecondition if the folder is not
  // empty.
  static absl::StatusOr<std::unique_ptr<DemoFolder>> Create(bool stays, const std::string& path);
  ~DemoFolder();
  DemoFolder(const DemoFolder&) = delete;
  DemoFolder& operator=(const DemoFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  DemoFolder(bool stays, std::string path) : stays_(stays), path_(std::move(path)) {}

  bool stays_;
  std::string path_;
};

namespace fs = std::filesystem;

absl::Status MakeEmpty(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  const bool is_empty = !error && fs::is_empty(path, error);
  if (error)
    return absl::UnavailableError(base::StrCat(path, ": ", error.message()));
  if (!is_empty)
    return absl::FailedPreconditionError(base::StrCat(path, " is not empty"));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<DemoFolder>> DemoFolder::Create(bool stays,
                                                               const std::string& path) {
  if (path.empty()) {
    FLARE_ASSIGN(TemporaryFolder made, TemporaryFolder::Make("flarestack-demo"));
    return std::unique_ptr<DemoFolder>(new DemoFolder(stays, made.Release()));
  }
  FLARE_RETURN_IF_ERROR(MakeEmpty(path));
  return std::unique_ptr<DemoFolder>(new DemoFolder(stays, path));
}

DemoFolder::~DemoFolder() {
  std::error_code error;
  if (!stays_)
    fs::remove_all(path_, error);
}

class DemoCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  int Show(const std::string& folder, const StopSignals& signals);
  absl::StatusOr<std::unique_ptr<server::Server>> StartServer(const std::string& folder,
                                                              const demo::Timeline& timeline);
  absl::StatusOr<bool> SendStory(const demo::Timeline& timeline, const StopSignals& signals,
                                 DemoFeed* feed) const;
  void SendLive(const demo::Timeline& timeline, const StopSignals& signals, DemoFeed* feed) const;
  void PrintAddress(const server::Server& server, const std::string& folder) const;

  uint64_t seed_ = 1;
  double speed_ = 1;
  bool opens_browser_ = true;
  bool keeps_ = false;
  std::string data_dir_;
  std::string http_;    // empty: the first free port
  std::string ui_dir_;  // empty: the built-in pages
};

constexpr std::chrono::seconds kStopGrace{8};
constexpr uint64_t kMemoryBytesMax = uint64_t{512} << 20;
constexpr int kPortsTried = 100;
// After the machine slept, skip the windows it missed if they are more than this.
constexpr uint64_t kWindowsBehindMax = 30;

// The ports in the order in which the server opens them, with their names in its errors.
struct Port {
  std::string_view name;
  net::Address* address;
  bool is_fixed;
};

std::string PageUrl(const server::Server& server) {
  return base::StrCat(server.scheme(), "://", net::ToString(server.http()), "/");
}

std::string SourceFolder(const std::string& folder) { return base::StrCat(folder, "/sources"); }

}  // namespace

void DemoCommand::Define(CLI::App* app) {
  app->add_option("--seed", seed_, "random seed of the generated data")->capture_default_str();
  app->add_option("--speed", speed_,
                  "requests per second after the first forty minutes, up to 8; 0: no new data")
      ->check(CLI::Range(0.0, demo::kSpeedMax))
      ->capture_default_str();
  app->add_flag("!--no-open", opens_browser_, "print the link without opening a browser");
  CLI::Option* const keep = app->add_flag("--keep", keeps_, "keep the data on exit");
  app->add_option("--data-dir", data_dir_, "with --keep: a new or empty directory for the data")
      ->needs(keep);
  app->add_option("--http", http_,
                  "address for the UI and API (default: 127.0.0.1, first free port from 4040)");
  app->add_option("--ui-dir", ui_dir_,
                  "serve the UI from this directory instead of the built-in one");
  app->footer(
      "Starts a server with forty minutes of data from a shop: five services with traces, logs,\n"
      "metrics and profiles, and a release that makes one of them slow. A guide in the UI leads\n"
      "from the metric to the line of code. Needs no setup, and no data leaves this machine.\n"
      "Ctrl-C stops it and removes the data.\n\n"
      "Examples:\n"
      "  flarestack demo\n"
      "  flarestack demo --no-open --speed 0          no new data while it runs\n"
      "  flarestack demo --keep --data-dir shop-data  then: flarestack serve --data-dir shop-data");
}

int DemoCommand::Run() {
  // Set up before any thread starts. SIGHUP is included so that closing the terminal removes the
  // folder.
  const StopSignals signals({SIGHUP});
  std::signal(SIGPIPE, SIG_IGN);
  const auto folder = DemoFolder::Create(keeps_, data_dir_);
  if (!folder.ok()) {
    return Report({"cannot create the data directory", std::string(base::Message(folder.status())),
                   "choose a new one with --keep --data-dir"},
                  kFailed);
  }
  const int code = Show((*folder)->path(), signals);
  if (keeps_)
    fmt::print(
        "data kept; view it with: flarestack serve --data-dir {0} --source-path {0}/sources\n",
        (*folder)->path());
  return code;
}

int DemoCommand::Show(const std::string& folder, const StopSignals& signals) {
  const demo::Timeline timeline({.seed = seed_, .end_nanos = base::NowNanos()});
  const auto started = StartServer(folder, timeline);
  if (!started.ok()) {
    return Report({"cannot start", std::string(base::Message(started.status())),
                   "choose another address with --http"},
                  absl::IsInvalidArgument(started.status()) ? kUsage : kFailed);
  }
  server::Server& server = **started;
  DemoFeed feed(base::StrCat("http://", net::ToString(server.otlp_http())));
  const auto completed = SendStory(timeline, signals, &feed);
  if (completed.ok() && *completed) {
    PrintAddress(server, folder);
    // Ignore failures: the link is already printed.
    if (opens_browser_)
      OpenBrowser(PageUrl(server)).IgnoreError();
    SendLive(timeline, signals, &feed);
  }
  absl::Status status = completed.status();
  status.Update(server.Stop(kStopGrace));
  if (status.ok())
    return kSuccess;
  return Report({"the demo failed", std::string(base::Message(status)), ""}, kFailed);
}

// Uses the first free ports, starting from the usual ones.
absl::StatusOr<std::unique_ptr<server::Server>> DemoCommand::StartServer(
    const std::string& folder, const demo::Timeline& timeline) {
  server::ServerOptions options;
  options.data_dir = folder;
  options.memory_bytes_max = kMemoryBytesMax;
  options.sync_each_commit = keeps_;
  options.symbols.uses_host_files = false;  // the shop's programs exist on no host
  options.log.level_min = base::LogLevel::kWarn;
  options.ui_dir = ui_dir_;
  options.guide = MakeDemoGuide(timeline);
  const std::string sources = SourceFolder(folder);
  FLARE_RETURN_IF_ERROR(demo::WriteSources(sources));
  options.sources.texts.folders.folders = {sources};
  if (!http_.empty()) {
    FLARE_ASSIGN(options.http, net::ParseAddress(http_));
  }
  Port ports[] = {{"API: ", &options.http, !http_.empty()},
                  {"OTLP/gRPC: ", &options.otlp_grpc, false},
                  {"OTLP/HTTP: ", &options.otlp_http, false}};
  absl::Status failure;
  for (int i = 0; i < kPortsTried; ++i) {
    auto server = server::Server::Start(options);
    if (server.ok() || !absl::IsUnavailable(server.status()))
      return server;
    failure = server.status();
    Port* const taken = std::ranges::find_if(
        ports, [&](const Port& port) { return base::Message(failure).starts_with(port.name); });
    if (taken == std::end(ports) || taken->is_fixed)
      return failure;
    ++taken->address->port;
  }
  return failure;
}

// Returns false if it was interrupted.
absl::StatusOr<bool> DemoCommand::SendStory(const demo::Timeline& timeline,
                                            const StopSignals& signals, DemoFeed* feed) const {
  constexpr uint64_t kMinute = base::kNanosPerMinute / demo::kWindowNanos;
  Progress progress(ProgressModeFrom("auto"));
  for (uint64_t i = 0; i < demo::kWindowCount; ++i) {
    if (signals.WaitFor(std::chrono::nanoseconds(0)))
      return false;
    progress.Step(fmt::format("minute {} of {}", i / kMinute + 1, demo::kWindowCount / kMinute));
    FLARE_RETURN_IF_ERROR(feed->Send(timeline, timeline.Make(i)));
  }
  return true;
}

// Runs until a signal arrives.
void DemoCommand::SendLive(const demo::Timeline& timeline, const StopSignals& signals,
                           DemoFeed* feed) const {
  if (speed_ == 0) {
    signals.Wait();
    return;
  }
  bool has_complained = false;
  for (uint64_t i = demo::kWindowCount;;) {
    const uint64_t due = timeline.WindowBegin(i + 1);
    const uint64_t now = base::NowNanos();
    const std::chrono::nanoseconds wait(due > now ? due - now : 0);
    if (signals.WaitFor(wait))
      return;
    if (base::NowNanos() < due)  // the clock was set back
      continue;
    const uint64_t behind = (base::NowNanos() - due) / demo::kWindowNanos;
    if (behind > kWindowsBehindMax)
      i += behind;
    const absl::Status status = feed->Send(timeline, timeline.Make(i, speed_));
    if (!status.ok() && !std::exchange(has_complained, true))
      Report({"cannot generate more data", std::string(base::Message(status)), ""}, kFailed);
    ++i;
  }
}

void DemoCommand::PrintAddress(const server::Server& server, const std::string& folder) const {
  fmt::print("open {} in a browser\n", PageUrl(server));
  fmt::print("forty minutes of data from a shop; release {} of checkout is slow\n",
             demo::kNewVersion);
  fmt::print("  OTLP/HTTP  {}://{}\n", server.scheme(), net::ToString(server.otlp_http()));
  fmt::print("  OTLP/gRPC  {}\n", net::ToString(server.otlp_grpc()));
  fmt::print("  data       {}{}\n", folder, keeps_ ? "" : ", removed on exit");
  fmt::print("Ctrl-C to stop\n");
  std::fflush(stdout);
}

std::unique_ptr<Command> MakeDemoCommand() { return std::make_unique<DemoCommand>(); }

}  // namespace flarestack::cli
