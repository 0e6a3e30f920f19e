// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/symbol_files.h"

namespace flarestack::cli {

// `symbols why`: what is tried for a file, in order, and how it ended.
class WhyCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  std::string path_;
  SymbolFileFlags files_;
};

}  // namespace flarestack::cli
