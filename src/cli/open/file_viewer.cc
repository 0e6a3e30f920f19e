// SPDX-License-Identifier: Apache-2.0
#include "cli/open/file_viewer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/file/file.h"
#include "base/status.h"
#include "base/text/human_value.h"
#include "cli/command/failure.h"
#include "cli/input/inputs.h"
#include "cli/input/page_link.h"
#include "cli/terminal/browser.h"
#include "cli/terminal/machine_memory.h"
#include "cli/terminal/stop_signals.h"
#include "cli/terminal/temporary_folder.h"
#include "cli/terminal/terminal.h"
#include "server/server.h"
#include "server/ui/ui_assets.h"

namespace flarestack::cli {
namespace {

constexpr std::chrono::seconds kStopGrace{2};

struct OpenedFile {
  std::string name;  // as shown on the page
  std::string id;
  std::set<std::string> types;
};

server::ServerOptions OptionsFor(const std::string& folder, const ViewOptions& options) {
  server::ServerOptions server;
  server.data_dir = folder;
  server.http = {"127.0.0.1", options.port};
  // Unused here, but the server requires them.
  server.otlp_grpc = {"127.0.0.1", 0};
  server.otlp_http = {"127.0.0.1", 0};
  server.memory_bytes_max = MachineMemoryBytes() / 2;
  server.limits.request_bytes_max = options.bytes_max;
  // Files from the command line must not be evicted when more files are dropped on the page.
  server.limits.scratch_bytes_max = uint64_t{1} << 50;
  server.limits.scratch_uploads_max = 1 << 20;
  server.sources = options.sources;
  server.sources.needs_upload = true;
  if (std::vector<std::string>& folders = server.sources.texts.folders.folders; folders.empty())
    folders.emplace_back(".");
  server.log.level_min = base::LogLevel::kError;
  return server;
}

std::string UrlOf(const server::Server& server) {
  return fmt::format("{}://{}", server.scheme(), net::ToString(server.http()));
}

std::string ExploreLink(const std::string& url, const OpenedFile& file) {
  return FormatPageLink(
      {.server = url, .page = "/explore", .state = {.values = {{"scratch", file.id}}}});
}

// Selects a type that both have. If both have the same types, the page chooses the default.
std::string CompareLink(const std::string& url, const OpenedFile& before, const OpenedFile& after) {
  PageLink link = {.server = url,
                   .page = "/diff",
                   .state = {.values = {{"scratch", after.id}, {"b.scratch", before.id}}}};
  const auto common = std::ranges::find_if(
      before.types, [&](const std::string& type) { return after.types.contains(type); });
  if (before.types != after.types && common != before.types.end())
    link.state.values["type"] = *common;
  return FormatPageLink(link);
}

// A single file is shown directly. For several, the page lists them all and can compare two.
std::string FirstLink(const std::string& url, const std::vector<OpenedFile>& files) {
  if (files.size() == 1)
    return ExploreLink(url, files[0]);
  PageLink link = {.server = url, .page = "/open"};
  for (size_t i = 0; i < files.size(); ++i) {
    link.state.values[fmt::format("file.{:03}", i + 1)] =
        fmt::format("{} {}", files[i].id, files[i].name);
  }
  return FormatPageLink(link);
}

// Returns nullopt after reporting an error.
std::optional<OpenedFile> OpenOne(const std::string& path, const ViewOptions& options,
                                  server::Server* server) {
  const std::string name = InputName(path);
  const std::string shown = std::filesystem::path(name).filename().string();
  auto bytes = base::ReadFile(path, options.bytes_max);
  absl::Status status = bytes.status();
  if (status.ok()) {
    auto opened = server->OpenFile({.name = shown,
                                    .bytes = *std::move(bytes),
                                    .reader = LimitsOf(options.bytes_max, options.format).reader});
    if (opened.ok()) {
      fmt::print("{}: {}, {} samples\n", Printable(name), opened->format,
                 base::GroupDigits(static_cast<int64_t>(opened->samples)));
      for (const std::string& warning : opened->warnings)
        fmt::print(stderr, "warning: {}: {}\n", Printable(name), Printable(warning));
      return OpenedFile{
          .name = shown, .id = std::move(opened->id), .types = std::move(opened->types)};
    }
    status = opened.status();
  }
  Report({"cannot open " + name, std::string(base::Message(status)),
          bytes.ok() ? "flarestack help convert    lists the input formats" : ""},
         kFailed);
  return std::nullopt;
}

void PrintLinks(const std::string& url, const std::vector<OpenedFile>& files) {
  if (files.size() == 1) {
    fmt::print("open {} in a browser\n", ExploreLink(url, files[0]));
  } else {
    for (const OpenedFile& file : files)
      fmt::print("  {}:  {}\n", Printable(file.name), ExploreLink(url, file));
    if (files.size() == 2)
      fmt::print("  compare:  {}\n", CompareLink(url, files[0], files[1]));
    fmt::print("  all:      {}\n", FirstLink(url, files));
  }
  fmt::print("Ctrl-C to stop; nothing is stored\n");
  std::fflush(stdout);
}

int ServeFiles(const std::vector<std::string>& paths, const ViewOptions& options,
               server::Server* server, const StopSignals& signals) {
  std::vector<OpenedFile> files;
  for (const std::string& path : paths) {
    std::optional<OpenedFile> file = OpenOne(path, options, server);
    if (!file.has_value())
      return kFailed;
    files.push_back(*std::move(file));
  }
  const std::string url = UrlOf(*server);
  PrintLinks(url, files);
  if (options.opens_browser) {
    if (const absl::Status status = OpenBrowser(FirstLink(url, files)); !status.ok())
      fmt::print(stderr, "no browser opened: {}\n", Printable(base::Message(status)));
  }
  signals.Wait();
  return kSuccess;
}

}  // namespace

bool HasPages() {
  if (!server::UiAssets().empty())
    return true;
  Report({"this build has no web UI", "it was built without Node",
          "flarestack flame FILE, or rebuild with Node installed"},
         kFailed);
  return false;
}

int ViewFiles(const std::vector<std::string>& paths, const ViewOptions& options) {
  if (!HasPages())
    return kFailed;
  if (const int code = RejectRepeatedStandardInput(paths); code != kSuccess)
    return code;
  const StopSignals signals({SIGHUP});
  std::signal(SIGPIPE, SIG_IGN);
  const auto folder = TemporaryFolder::Make("flarestack-open");
  absl::Status status = folder.status();
  std::unique_ptr<server::Server> server;
  if (status.ok()) {
    auto started = server::Server::Start(OptionsFor(folder->path(), options));
    status = started.status();
    if (started.ok())
      server = *std::move(started);
  }
  if (!status.ok()) {
    return Report({"cannot open files", std::string(base::Message(status)),
                   options.port != 0 ? "use another --port" : ""},
                  kFailed);
  }
  const int code = ServeFiles(paths, options, server.get(), signals);
  signals.Release();
  // A page may have a request running, but its response is no longer needed.
  server->Stop(kStopGrace).IgnoreError();
  return code;
}

}  // namespace flarestack::cli
