// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "cli/command/command.h"

namespace flarestack::cli {

// Names for the addresses of programs. Each verb is a command of its own; the table is in
// symbols.cc.
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

}  // namespace flarestack::cli
