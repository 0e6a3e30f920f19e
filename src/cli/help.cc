// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/command/failure.h"
#include "cli/command/makers.h"
#include "cli/command/usage_error.h"

namespace flarestack::cli {
namespace {

class HelpCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  std::string topic_;
};

}  // namespace

void HelpCommand::Define(CLI::App* app) {
  app->add_option("COMMAND", topic_, "the command to show help for");
  app->footer("Example:\n  flarestack help convert");
}

int HelpCommand::Run() {
  if (topic_.empty()) {
    PrintOverview();
    return kSuccess;
  }
  const CommandEntry* entry = FindCommand(topic_);
  if (entry == nullptr)
    return Report(UnknownCommand(topic_), kUsage);
  const std::unique_ptr<Command> command = entry->make();
  fmt::print("{}", MakeApp(*entry, command.get())->help());
  return kSuccess;
}

void PrintFirstSteps() {
  fmt::print(
      "flarestack: OpenTelemetry profiles, traces, logs and metrics; `flarestack help` lists all "
      "commands\n"
      "  flarestack demo               explore the data of a demo shop, no setup needed\n"
      "  flarestack record -- COMMAND  profile a command and show its hottest functions\n"
      "  flarestack serve              receive OTLP and show it; `up` also profiles this host\n");
}

void PrintOverview() {
  fmt::print("flarestack: record, view, compare, validate and convert profiles in any format\n\n");
  for (const CommandEntry& entry : Commands())
    fmt::print("  {:<12}{}\n", entry.name, entry.summary);
  fmt::print("\nflarestack help COMMAND shows flags and examples.\n");
}

std::unique_ptr<Command> MakeHelpCommand() { return std::make_unique<HelpCommand>(); }

}  // namespace flarestack::cli
