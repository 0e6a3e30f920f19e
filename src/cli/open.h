// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/file_viewer.h"
#include "cli/source_flags.h"

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
