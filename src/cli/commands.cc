// SPDX-License-Identifier: Apache-2.0
#include "cli/agent.h"
#include "cli/auth.h"
#include "cli/check.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/config.h"
#include "cli/convert.h"
#include "cli/demo.h"
#include "cli/diff.h"
#include "cli/doctor.h"
#include "cli/flame.h"
#include "cli/help.h"
#include "cli/lines.h"
#include "cli/mcp.h"
#include "cli/open.h"
#include "cli/peek.h"
#include "cli/query.h"
#include "cli/record.h"
#include "cli/send.h"
#include "cli/serve.h"
#include "cli/store.h"
#include "cli/symbol_worker.h"
#include "cli/symbols.h"
#include "cli/tags.h"
#include "cli/top.h"
#include "cli/tree.h"
#include "cli/up.h"
#include "cli/version.h"
#include "symbol/table_worker_protocol.h"

namespace flarestack::cli {
namespace {

template <typename T>
std::unique_ptr<Command> Make() {
  return std::make_unique<T>();
}

constexpr CommandEntry kCommands[] = {
    {"demo", "a shop with a slow release, to look around in", Make<DemoCommand>},
    {"up", "profile this host and look at it: server and agent in one", Make<UpCommand>},
    {"record", "profile a command, processes or this host", Make<RecordCommand>},
    {"agent", "profile this host without end, and send it to a server", Make<AgentCommand>},
    {"open", "look at profiles in a browser", Make<OpenCommand>},
    {"top", "which functions cost most", Make<TopCommand>},
    {"tree", "the call tree, with the cost of each call", Make<TreeCommand>},
    {"peek", "who calls a function, and whom it calls", Make<PeekCommand>},
    {"lines", "the cost of each source line of a function", Make<LinesCommand>},
    {"list", "a function, with the cost of each line", Make<ListCommand>},
    {"tags", "which attributes samples have, with the cost of each value", Make<TagsCommand>},
    {"flame", "a flame graph in the terminal", Make<FlameCommand>},
    {"diff", "compare two profiles: what costs more, what costs less", Make<DiffCommand>},
    {"query", "ask a server for traces, logs, metrics and profiles", Make<QueryCommand>},
    {"mcp", "let an assistant ask a server, over standard input and output", Make<McpCommand>},
    {"convert", "read profiles of any format and write another one", Make<ConvertCommand>},
    {"check", "look for what breaks the OTLP specification in profiles", Make<CheckCommand>},
    {"serve", "receive OTLP and keep it", Make<ServeCommand>},
    {"send", "send profiles of any format to a server", Make<SendCommand>},
    {"doctor", "what can be recorded on this host, and what stands in the way",
     Make<DoctorCommand>},
    {"auth", "who may send to a server and read from it", Make<AuthCommand>},
    {"symbols", "names for the addresses of a program, and why there are none",
     Make<SymbolsCommand>},
    {"store", "count, verify, back up, restore and delete the data of a server",
     Make<StoreCommand>},
    {"config", "which settings serve would use, and where they come from", Make<ConfigCommand>},
    {"completion", "print a completion script for a shell", Make<CompletionCommand>},
    {"version", "print the version and how the program was built", Make<VersionCommand>},
    {"help", "explain a command", Make<HelpCommand>},
};

// For the program itself: neither help nor completion has them.
constexpr CommandEntry kHiddenCommands[] = {
    {symbol::kWorkerCommand, "reads files of others", Make<SymbolWorkerCommand>},
};

}  // namespace

std::span<const CommandEntry> Commands() { return kCommands; }

const CommandEntry* FindCommand(std::string_view name) {
  for (const CommandEntry& entry : kCommands) {
    if (entry.name == name)
      return &entry;
  }
  for (const CommandEntry& entry : kHiddenCommands) {
    if (entry.name == name)
      return &entry;
  }
  return nullptr;
}

std::unique_ptr<CLI::App> MakeApp(const CommandEntry& entry, Command* command) {
  auto app = std::make_unique<CLI::App>(std::string(entry.summary),
                                        "flarestack " + std::string(entry.name));
  app->get_formatter()->column_width(28);
  command->Define(app.get());
  return app;
}

}  // namespace flarestack::cli
