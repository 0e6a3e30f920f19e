// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/command/command.h"
#include "cli/flags/source_flags.h"
#include "cli/open/file_viewer.h"

namespace flarestack::cli {

class OpenCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  std::vector<std::string> paths_;
  ViewOptions options_;
  SourceFlags sources_;
};

}  // namespace flarestack::cli
