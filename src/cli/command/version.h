// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "cli/command/command.h"

namespace flarestack::cli {

// "0.1.0"
std::string_view ProgramVersion();

class VersionCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  bool json_ = false;
};

}  // namespace flarestack::cli
