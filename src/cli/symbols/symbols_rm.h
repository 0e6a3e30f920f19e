// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/command/command.h"
#include "cli/input/api_client.h"

namespace flarestack::cli {

// `symbols rm`: takes what was pushed away again.
class SymbolsRemoveCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  std::string key_;
  ApiClient client_{"http://127.0.0.1:4040"};
};

}  // namespace flarestack::cli
