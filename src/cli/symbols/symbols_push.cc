// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/file/mapped_file.h"
#include "base/status.h"
#include "base/text/encoding.h"
#include "base/text/human_value.h"
#include "cli/command/command.h"
#include "cli/command/exit_code.h"
#include "cli/command/failure.h"
#include "cli/command/makers.h"
#include "cli/command/usage_error.h"
#include "cli/input/api_client.h"
#include "cli/output/json_fields.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "net/auth/credential_hash.h"
#include "symbol/file_facts.h"
#include "symbol/module.h"

namespace flarestack::cli {
namespace {

// `symbols push`: sends executables and debug files to a server, which uses them to symbolize
// stored profiles.
class PushCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  absl::Status Push(const std::string& path, Progress* progress) const;

  std::vector<std::string> paths_;
  std::string progress_ = "auto";
  ApiClient client_{"http://127.0.0.1:4040"};
};

// A server accepts 64 MiB per request by default. Smaller parts mean less to resend after a
// failure.
constexpr size_t kPartBytes = 8 << 20;

std::string Size(uint64_t bytes) { return base::HumanValue(static_cast<int64_t>(bytes), "bytes"); }

// The number of bytes that the server has, from its response.
absl::StatusOr<uint64_t> ReceivedIn(const absl::StatusOr<net::HttpResponse>& response) {
  FLARE_RETURN_IF_ERROR(response.status());
  const Json json = Json::parse(response->body, nullptr, /*allow_exceptions=*/false);
  if (!At(json, "received").is_number_unsigned())
    return absl::UnavailableError("unexpected response from the server");
  return static_cast<uint64_t>(IntOf(At(json, "received")));
}

}  // namespace

void PushCommand::Define(CLI::App* app) {
  app->add_option("FILE", paths_, "programs, libraries and debug files")->required();
  client_.DefineFlags(app, "Server");
  app->add_option("--progress", progress_, "auto, plain or none")
      ->check(OneOf({"auto", "plain", "none"}))
      ->capture_default_str();
  app->footer(
      "Also symbolizes profiles that are already stored. Run the same command again to resume an\n"
      "interrupted upload.\n\n"
      "Examples:\n"
      "  flarestack symbols push ./server                    before it is stripped\n"
      "  flarestack symbols push server.debug --server https://flarestack.example:4040");
}

int PushCommand::Run() {
  int failed = 0;
  for (const std::string& path : paths_) {
    Progress progress(ProgressModeFrom(progress_));
    const absl::Status status = Push(path, &progress);
    if (status.ok())
      continue;
    ++failed;
    Report({"cannot push " + path, std::string(base::Message(status)), HintOf(status)}, kFailed);
  }
  return failed == 0 ? kSuccess : kFailed;
}

absl::Status PushCommand::Push(const std::string& path, Progress* progress) const {
  FLARE_ASSIGN(const symbol::FileFacts facts, symbol::ReadFileFacts(path));
  const symbol::Module module = {.ids = facts.ids, .path = path};
  const std::string key = module.Key();
  if (key.empty())
    return absl::InvalidArgumentError("it has no build id");
  if (!facts.has_symbols)
    fmt::print(stderr,
               "note: {} has neither DWARF nor a symbol table; few frames will be symbolized\n",
               path);
  FLARE_ASSIGN(const base::MappedFile file, base::MappedFile::Open(path));
  const std::string_view bytes = file.bytes();
  progress->Step("hashing " + path);
  ApiRequest request = {.path = "/symbols/" + key};
  request.Add("sha256", base::HexEncode(net::Sha256(bytes)));
  request.Add("total", std::to_string(bytes.size()));
  request.Add("name", std::filesystem::path(path).filename().string());
  // A request without a body returns the offset at which to start or resume.
  FLARE_ASSIGN(uint64_t received, ReceivedIn(client_.Put(request, "")));
  while (received < bytes.size()) {
    progress->Step(fmt::format("pushing {}: {} of {}", path, Size(received), Size(bytes.size())));
    ApiRequest part = request;
    part.Add("offset", std::to_string(received));
    FLARE_ASSIGN(const uint64_t next,
                 ReceivedIn(client_.Put(part, std::string(bytes.substr(received, kPartBytes)))));
    if (next <= received)
      return absl::UnavailableError("the server stopped accepting the file");
    received = next;
  }
  fmt::print("{}  {}  {}  {}\n", Printable(key), facts.has_code ? "executable" : "debuginfo",
             Size(bytes.size()), Printable(path));
  return absl::OkStatus();
}

std::unique_ptr<Command> MakeSymbolsPushCommand() { return std::make_unique<PushCommand>(); }

}  // namespace flarestack::cli
