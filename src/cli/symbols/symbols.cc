// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <vector>

#include "cli/command/command.h"
#include "cli/command/exit_code.h"
#include "cli/command/makers.h"

namespace flarestack::cli {
namespace {

// Manages symbols. Each verb is its own command; the table is in symbols.cc.
class SymbolsCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  struct Verb {
    CLI::App* app = nullptr;
    std::unique_ptr<Command> command;
  };
  std::vector<Verb> verbs_;
};

constexpr CommandEntry kVerbs[] = {
    {"addr2line", "print functions, files and lines for addresses", MakeSymbolsAddr2lineCommand},
    {"why", "explain which symbols were found for a file or module", MakeSymbolsWhyCommand},
    {"push", "upload debug files to a server for symbolization", MakeSymbolsPushCommand},
    {"ls", "list pushed files, or modules missing symbols", MakeSymbolsListCommand},
    {"rm", "delete pushed files", MakeSymbolsRemoveCommand},
};

}  // namespace

void SymbolsCommand::Define(CLI::App* app) {
  app->require_subcommand(1);
  for (const CommandEntry& entry : kVerbs) {
    Verb& verb = verbs_.emplace_back();
    verb.command = entry.make();
    verb.app = app->add_subcommand(std::string(entry.name), std::string(entry.summary));
    verb.command->Define(verb.app);
  }
  app->footer(
      "Examples:\n"
      "  flarestack symbols addr2line ./server 0x4a3f20 0x4a3f58\n"
      "  flarestack symbols why /usr/bin/python3\n"
      "  flarestack symbols push ./server --server http://127.0.0.1:4040\n"
      "  flarestack symbols ls --missing");
}

int SymbolsCommand::Run() {
  for (const Verb& verb : verbs_) {
    if (verb.app->parsed())
      return verb.command->Run();
  }
  return kUsage;
}

std::unique_ptr<Command> MakeSymbolsCommand() { return std::make_unique<SymbolsCommand>(); }

}  // namespace flarestack::cli
