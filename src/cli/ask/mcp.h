// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/command/command.h"
#include "cli/input/api_client.h"

namespace flarestack::cli {

// Answers the Model Context Protocol on standard input and output, until the input ends.
class McpCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  ApiClient client_{"http://127.0.0.1:4040"};
};

}  // namespace flarestack::cli
