// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/status.h"
#include "base/text/human_value.h"
#include "cli/command/command.h"
#include "cli/command/exit_code.h"
#include "cli/command/makers.h"
#include "cli/input/api_client.h"
#include "cli/output/json_fields.h"
#include "cli/terminal/terminal.h"

namespace flarestack::cli {
namespace {

// `symbols ls`: files pushed to a server, or its modules without names.
class SymbolsListCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  int ListFiles() const;
  int ListMissing() const;

  bool is_missing_ = false;
  bool is_json_ = false;
  std::string selector_;
  std::string type_;
  std::string from_;
  std::string to_;
  ApiClient client_{"http://127.0.0.1:4040"};
};

constexpr uint64_t kResponseBytesMax = 64 << 20;

std::string TextIn(const Json& object, const char* name) {
  return Printable(TextOf(At(object, name)));
}

absl::StatusOr<Json> ListIn(const absl::StatusOr<net::HttpResponse>& response, const char* name) {
  FLARE_RETURN_IF_ERROR(response.status());
  const Json json = Json::parse(response->body, nullptr, /*allow_exceptions=*/false);
  if (!At(json, name).is_array())
    return absl::UnavailableError("unexpected response from the server");
  return At(json, name);
}

}  // namespace

void SymbolsListCommand::Define(CLI::App* app) {
  client_.DefineFlags(app, "Server");
  app->add_flag("--missing", is_missing_, "list modules missing symbols, with cost, cause and fix");
  app->add_option("-q", selector_, "with --missing: selector, such as {service.name=\"cart\"}");
  app->add_option("--type", type_, "with --missing: profile type (default: CPU time)");
  app->add_option("--from", from_, "with --missing: start time (default: now-1h)")
      ->type_name("TIME");
  app->add_option("--to", to_, "with --missing: end time (default: now)")->type_name("TIME");
  app->add_flag("--json", is_json_, "raw JSON response of the server");
  app->footer(
      "Examples:\n"
      "  flarestack symbols ls\n"
      "  flarestack symbols ls --missing --from now-1d");
}

int SymbolsListCommand::Run() { return is_missing_ ? ListMissing() : ListFiles(); }

int SymbolsListCommand::ListFiles() const {
  const auto response = client_.Get({.path = "/symbols"}, kResponseBytesMax);
  const auto files = ListIn(response, "files");
  if (!files.ok())
    return ReportApiFailure("cannot list symbols", files.status());
  if (is_json_) {
    fmt::print("{}", response->body);
    return kSuccess;
  }
  if (files->empty())
    fmt::print(stderr, "no files pushed to {}\n", client_.url());
  for (const Json& file : *files) {
    fmt::print("{}  {:<10}  {:>9}  {}\n", TextIn(file, "id"), TextIn(file, "kind"),
               base::HumanValue(IntOf(At(file, "bytes")), "bytes"), TextIn(file, "name"));
  }
  return kSuccess;
}

int SymbolsListCommand::ListMissing() const {
  ApiRequest request = {.path = "/symbols/health"};
  request.Add("q", selector_);
  request.Add("type", type_);
  request.Add("from", from_);
  request.Add("to", to_);
  const auto response = client_.Get(request, kResponseBytesMax);
  const auto modules = ListIn(response, "modules");
  if (!modules.ok())
    return ReportApiFailure("cannot list modules missing symbols", modules.status());
  if (is_json_) {
    fmt::print("{}", response->body);
    return kSuccess;
  }
  if (modules->empty())
    fmt::print(stderr, "all frames symbolized\n");
  for (const Json& module : *modules) {
    fmt::print("{:>6.1f}%  {}  {}\n         {}\n         {}\n", 100 * NumberOf(At(module, "share")),
               TextIn(module, "module"), TextIn(module, "key"), TextIn(module, "reason"),
               TextIn(module, "fix"));
  }
  return kSuccess;
}

std::unique_ptr<Command> MakeSymbolsListCommand() { return std::make_unique<SymbolsListCommand>(); }

}  // namespace flarestack::cli
