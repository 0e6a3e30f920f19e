// SPDX-License-Identifier: Apache-2.0
//
// A subcommand: defines its flags, and runs.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <span>
#include <string_view>

namespace flarestack::cli {

// Heading of flags without another group: see option_defaults()->group().
inline constexpr const char* kFlags = "Flags";

class Command {
 public:
  virtual ~Command() = default;

  // Binds flags to members. Help and completion are generated from them too. The footer of the app
  // contains the examples.
  virtual void Define(CLI::App* app) = 0;

  // Runs after the flags were parsed. Returns the exit code.
  virtual int Run() = 0;
};

struct CommandEntry {
  std::string_view name;
  std::string_view summary;  // one line, without a full stop
  std::unique_ptr<Command> (*make)();
};

// All user-facing commands, in the order of the help.
std::span<const CommandEntry> Commands();

// Includes hidden commands. Returns nullptr if there is no such command.
const CommandEntry* FindCommand(std::string_view name);

// An app with the command's flags, ready to parse a command line or to print help.
std::unique_ptr<CLI::App> MakeApp(const CommandEntry& entry, Command* command);

std::string_view ProgramVersion();  // "0.1.0"

}  // namespace flarestack::cli
