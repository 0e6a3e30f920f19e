// SPDX-License-Identifier: Apache-2.0
//
// A subcommand: it defines its flags, and runs.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <span>
#include <string_view>

namespace flarestack::cli {

// The heading of the flags that belong to no other group: see option_defaults()->group().
inline constexpr const char* kFlags = "Flags";

class Command {
 public:
  virtual ~Command() = default;

  // Binds flags to members; help and completion are made from them too. The application's footer
  // holds the examples.
  virtual void Define(CLI::App* app) = 0;

  // Called after the flags were read. Answers the exit code.
  virtual int Run() = 0;
};

struct CommandEntry {
  std::string_view name;
  std::string_view summary;  // one line, without a full stop
  std::unique_ptr<Command> (*make)();
};

// All commands for people, in the order of the help.
std::span<const CommandEntry> Commands();

// Also the hidden ones. Nothing when there is no such command.
const CommandEntry* FindCommand(std::string_view name);

// An application with the command's flags, ready to read a command line or to print help.
std::unique_ptr<CLI::App> MakeApp(const CommandEntry& entry, Command* command);

}  // namespace flarestack::cli
