// SPDX-License-Identifier: Apache-2.0
#include "cli/command/command.h"
#include "cli/command/help_format.h"
#include "cli/command/makers.h"
#include "symbol/worker/table_worker_protocol.h"

namespace flarestack::cli {
namespace {

constexpr CommandEntry kCommands[] = {
    {"demo", "explore a demo shop with a slow release", MakeDemoCommand},
    {"up", "profile this host and view it: server and agent in one", MakeUpCommand},
    {"record", "profile a command, processes or this host", MakeRecordCommand},
    {"agent", "continuously profile this host and send to a server", MakeAgentCommand},
    {"open", "view profiles in a browser", MakeOpenCommand},
    {"top", "functions by cost", MakeTopCommand},
    {"tree", "the call tree, with the cost of each call", MakeTreeCommand},
    {"peek", "callers and callees of a function", MakePeekCommand},
    {"lines", "the cost of each source line of a function", MakeLinesCommand},
    {"list", "annotated source of a function", MakeListCommand},
    {"tags", "attributes of samples, with the cost of each value", MakeTagsCommand},
    {"flame", "a flame graph in the terminal", MakeFlameCommand},
    {"diff", "compare two profiles function by function", MakeDiffCommand},
    {"query", "query a server for traces, logs, metrics and profiles", MakeQueryCommand},
    {"mcp", "MCP server on standard input and output, for AI assistants", MakeMcpCommand},
    {"convert", "convert and merge profiles between formats", MakeConvertCommand},
    {"check", "validate profiles against the OTLP specification", MakeCheckCommand},
    {"serve", "receive, store and show OTLP data", MakeServeCommand},
    {"send", "send profiles in any format to a server", MakeSendCommand},
    {"doctor", "check what can be recorded on this host", MakeDoctorCommand},
    {"auth", "manage tokens, users and client certificates", MakeAuthCommand},
    {"symbols", "symbolize addresses and manage debug files", MakeSymbolsCommand},
    {"store", "inspect, verify, back up, restore and delete stored data", MakeStoreCommand},
    {"config", "show and validate the settings of serve", MakeConfigCommand},
    {"completion", "print a completion script for a shell", MakeCompletionCommand},
    {"version", "print the version and build information", MakeVersionCommand},
    {"help", "show help for a command", MakeHelpCommand},
};

// Commands that the program runs internally. Help and completion omit them.
constexpr CommandEntry kHiddenCommands[] = {
    {symbol::kWorkerCommand, "reads untrusted files", MakeSymbolWorkerCommand},
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
  app->formatter(std::make_shared<HelpFormat>());
  app->option_defaults()->group(kFlags);
  app->set_help_flag("-h,--help", "show this help");
  command->Define(app.get());
  return app;
}

}  // namespace flarestack::cli
