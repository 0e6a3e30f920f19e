// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "check/check.h"
#include "cli/command/command.h"
#include "cli/reports/check_output.h"

namespace flarestack::cli {

class CheckCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  int CheckFlags() const;
  int List() const;
  int Explain() const;
  CheckedFile CheckOne(const std::string& path) const;

  std::vector<std::string> paths_;
  std::string from_;  // format of the inputs
  ReportFormat format_ = ReportFormat::kText;
  std::string explained_rule_;
  uint64_t shown_max_ = check::CheckOptions{}.findings_per_rule;
  uint64_t bytes_max_ = codec::InputLimits{}.bytes_max;
  bool list_ = false;
  bool strict_ = false;
  bool layout_ = false;
  bool response_ = false;
};

}  // namespace flarestack::cli
