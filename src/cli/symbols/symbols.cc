// SPDX-License-Identifier: Apache-2.0
#include "cli/symbols/symbols.h"

#include "cli/command/exit_code.h"
#include "cli/symbols/symbols_addr2line.h"
#include "cli/symbols/symbols_ls.h"
#include "cli/symbols/symbols_push.h"
#include "cli/symbols/symbols_rm.h"
#include "cli/symbols/symbols_why.h"

namespace flarestack::cli {
namespace {

template <typename T>
std::unique_ptr<Command> Make() {
  return std::make_unique<T>();
}

constexpr CommandEntry kVerbs[] = {
    {"addr2line", "print functions, files and lines for addresses", Make<Addr2lineCommand>},
    {"why", "explain which symbols were found for a file or module", Make<WhyCommand>},
    {"push", "upload debug files to a server for symbolization", Make<PushCommand>},
    {"ls", "list pushed files, or modules missing symbols", Make<SymbolsListCommand>},
    {"rm", "delete pushed files", Make<SymbolsRemoveCommand>},
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

}  // namespace flarestack::cli
