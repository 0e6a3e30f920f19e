// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/command/command.h"

namespace flarestack::cli {

class HelpCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  std::string topic_;
};

// What the program says when it is called alone.
void PrintOverview();

// Four lines, for who starts the program without a word.
void PrintFirstSteps();

}  // namespace flarestack::cli
