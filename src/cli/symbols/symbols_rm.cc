// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "cli/command/command.h"
#include "cli/command/exit_code.h"
#include "cli/command/makers.h"
#include "cli/input/api_client.h"

namespace flarestack::cli {
namespace {

// `symbols rm`: removes pushed files.
class SymbolsRemoveCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  std::string key_;
  ApiClient client_{"http://127.0.0.1:4040"};
};

}  // namespace

void SymbolsRemoveCommand::Define(CLI::App* app) {
  app->add_option("BUILD_ID", key_, "build id, as `symbols ls` shows it")->required();
  client_.DefineFlags(app, "Server");
  app->footer(
      "Profiles show addresses again unless the symbols are available elsewhere.\n\n"
      "Example:\n"
      "  flarestack symbols rm 8f3a5c0e6b1d4f7a9c2e8b5d1f4a7c3e6b9d2f5a");
}

int SymbolsRemoveCommand::Run() {
  const auto response = client_.Delete({.path = "/symbols/" + key_});
  if (!response.ok())
    return ReportApiFailure("cannot remove " + key_, response.status());
  return kSuccess;
}

std::unique_ptr<Command> MakeSymbolsRemoveCommand() {
  return std::make_unique<SymbolsRemoveCommand>();
}

}  // namespace flarestack::cli
