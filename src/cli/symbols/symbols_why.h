// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/command/command.h"
#include "cli/input/api_client.h"
#include "cli/symbols/symbol_files.h"

namespace flarestack::cli {

// `symbols why`: what is tried for a file, in order, and how it ended.
class WhyCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  // What a server knows of a module, by its build id or name.
  int AskServer() const;

  std::string path_;
  SymbolFileFlags files_;
  ApiClient client_;
};

}  // namespace flarestack::cli
