// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/command/command.h"

namespace flarestack::cli {

class CompletionCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  std::string shell_;
};

}  // namespace flarestack::cli
