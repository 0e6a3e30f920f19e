// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/command.h"

namespace flarestack::cli {

class VersionCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  bool json_ = false;
};

}  // namespace flarestack::cli
