// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command/command.h"
#include "cli/output/report_format.h"
#include "net/auth/auth_entry.h"

namespace flarestack::cli {

// Edits the file that `serve --auth-file` reads.
class AuthCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  void DefineKinds(CLI::App* verb);
  int Add();
  int AddToken(const net::AuthEntry& entry);
  int AddUser(const net::AuthEntry& entry);
  int Remove();
  int List();
  std::optional<net::AuthKind> Kind() const;

  CLI::App* add_ = nullptr;
  CLI::App* remove_ = nullptr;
  std::string name_;
  std::string path_;
  bool is_token_ = false;
  bool is_user_ = false;
  bool is_certificate_ = false;
  std::string roles_;
  std::vector<std::string> tenants_;
  double requests_per_second_ = 0;
  uint64_t bytes_per_second_ = 0;
  ReportFormat format_ = ReportFormat::kText;
};

}  // namespace flarestack::cli
