// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <fmt/format.h>

#include "cli/failure.h"

namespace flarestack::cli {

void HelpCommand::Define(CLI::App* app) {
  app->add_option("COMMAND", topic_, "the command to explain");
  app->footer("Example:\n  flarestack help convert");
}

int HelpCommand::Run() {
  if (topic_.empty()) {
    PrintOverview();
    return kSuccess;
  }
  const CommandEntry* entry = FindCommand(topic_);
  if (entry == nullptr) {
    return Report({fmt::format("there is no command \"{}\"", topic_), "flarestack help lists them",
                   "flarestack help"},
                  kUsage);
  }
  const std::unique_ptr<Command> command = entry->make();
  fmt::print("{}", MakeApp(*entry, command.get())->help());
  return kSuccess;
}

void PrintFirstSteps() {
  fmt::print(
      "flarestack: profiles, traces, logs and metrics of OpenTelemetry; `flarestack help` lists "
      "all "
      "it can do\n"
      "  flarestack demo               look around in the data of a shop: nothing to set up\n"
      "  flarestack record -- COMMAND  profile a command, and see what costs most\n"
      "  flarestack serve              receive OTLP and show it; `up` also profiles this host\n");
}

void PrintOverview() {
  fmt::print("flarestack: look at profiles, compare, check and convert them, in every format\n\n");
  for (const CommandEntry& entry : Commands())
    fmt::print("  {:<12}{}\n", entry.name, entry.summary);
  fmt::print("\nflarestack help COMMAND explains one, with examples.\n");
}

}  // namespace flarestack::cli
