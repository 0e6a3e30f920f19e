// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/report_format.h"

namespace flarestack::cli {

// Looks after the data directory of a server that does not run.
class StoreCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  int Stats();
  int TenantStats(const std::vector<std::string>& tenants);
  int Verify();
  int BackUp();
  int Restore();

  CLI::App* stats_ = nullptr;
  CLI::App* verify_ = nullptr;
  CLI::App* backup_ = nullptr;
  std::string data_dir_;
  std::string other_;  // the backup
  ReportFormat format_ = ReportFormat::kText;
};

}  // namespace flarestack::cli
