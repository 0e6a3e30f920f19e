// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/command/command.h"

namespace flarestack::cli {

// What symbol/worker/table_worker.h starts this program for. Not for people, so no help lists it.
class SymbolWorkerCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  std::vector<std::string> words_;
};

}  // namespace flarestack::cli
