// SPDX-License-Identifier: Apache-2.0
#include "cli/ask/mcp.h"
#include "cli/ask/query.h"
#include "cli/command/command.h"
#include "cli/command/version.h"
#include "cli/completion.h"
#include "cli/config.h"
#include "cli/flame/flame.h"
#include "cli/help.h"
#include "cli/open/open.h"
#include "cli/record/agent.h"
#include "cli/record/doctor.h"
#include "cli/record/record.h"
#include "cli/reports/check.h"
#include "cli/reports/convert.h"
#include "cli/reports/diff.h"
#include "cli/reports/lines.h"
#include "cli/reports/peek.h"
#include "cli/reports/tags.h"
#include "cli/reports/top.h"
#include "cli/reports/tree.h"
#include "cli/serve/auth.h"
#include "cli/serve/demo.h"
#include "cli/serve/send.h"
#include "cli/serve/serve.h"
#include "cli/serve/store.h"
#include "cli/serve/up.h"
#include "cli/symbols/symbol_worker.h"
#include "cli/symbols/symbols.h"
#include "symbol/worker/table_worker_protocol.h"

namespace flarestack::cli {
namespace {

template <typename T>
std::unique_ptr<Command> Make() {
  return std::make_unique<T>();
}

constexpr CommandEntry kCommands[] = {
    {"demo", "explore a demo shop with a slow release", Make<DemoCommand>},
    {"up", "profile this host and view it: server and agent in one", Make<UpCommand>},
    {"record", "profile a command, processes or this host", Make<RecordCommand>},
    {"agent", "continuously profile this host and send to a server", Make<AgentCommand>},
    {"open", "view profiles in a browser", Make<OpenCommand>},
    {"top", "functions by cost", Make<TopCommand>},
    {"tree", "the call tree, with the cost of each call", Make<TreeCommand>},
    {"peek", "callers and callees of a function", Make<PeekCommand>},
    {"lines", "the cost of each source line of a function", Make<LinesCommand>},
    {"list", "annotated source of a function", Make<ListCommand>},
    {"tags", "attributes of samples, with the cost of each value", Make<TagsCommand>},
    {"flame", "a flame graph in the terminal", Make<FlameCommand>},
    {"diff", "compare two profiles function by function", Make<DiffCommand>},
    {"query", "query a server for traces, logs, metrics and profiles", Make<QueryCommand>},
    {"mcp", "MCP server on standard input and output, for AI assistants", Make<McpCommand>},
    {"convert", "convert and merge profiles between formats", Make<ConvertCommand>},
    {"check", "validate profiles against the OTLP specification", Make<CheckCommand>},
    {"serve", "receive, store and show OTLP data", Make<ServeCommand>},
    {"send", "send profiles in any format to a server", Make<SendCommand>},
    {"doctor", "check what can be recorded on this host", Make<DoctorCommand>},
    {"auth", "manage tokens, users and client certificates", Make<AuthCommand>},
    {"symbols", "symbolize addresses and manage debug files", Make<SymbolsCommand>},
    {"store", "inspect, verify, back up, restore and delete stored data", Make<StoreCommand>},
    {"config", "show and validate the settings of serve", Make<ConfigCommand>},
    {"completion", "print a completion script for a shell", Make<CompletionCommand>},
    {"version", "print the version and build information", Make<VersionCommand>},
    {"help", "show help for a command", Make<HelpCommand>},
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
