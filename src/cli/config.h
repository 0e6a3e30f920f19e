// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/command/command.h"
#include "cli/output/report_format.h"

namespace flarestack::cli {

// What `serve` would use if it were started here, without starting it.
class ConfigCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  int Show();
  int Validate();

  CLI::App* show_ = nullptr;
  std::string path_;
  ReportFormat format_ = ReportFormat::kText;
};

}  // namespace flarestack::cli
