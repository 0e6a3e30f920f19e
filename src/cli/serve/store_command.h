// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/command/command.h"
#include "cli/output/report_format.h"
#include "store/delete_data.h"

namespace flarestack::cli {

// Maintains the data directory of a stopped server.
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
  void DefineDelete(CLI::App* app);
  int Delete();
  int DeleteTenant();
  absl::StatusOr<store::DeleteQuery> ReadDeleteQuery() const;

  CLI::App* stats_ = nullptr;
  CLI::App* verify_ = nullptr;
  CLI::App* backup_ = nullptr;
  CLI::App* delete_ = nullptr;
  std::string data_dir_;
  std::string other_;  // the backup

  // Selects the data to delete.
  std::string tenant_;
  std::string service_;
  std::string selector_;
  std::string from_;
  std::string to_;
  bool is_dry_run_ = false;

  ReportFormat format_ = ReportFormat::kText;
};

}  // namespace flarestack::cli
