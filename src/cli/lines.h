// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/report_format.h"
#include "cli/stack_source.h"
#include "query/line_costs.h"

namespace flarestack::cli {

class LinesCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  std::string Text(const LoadedStacks& stacks, const std::vector<query::LineCost>& costs) const;

  StackSource source_;
  std::string pattern_;
  std::vector<std::string> paths_;
  std::vector<std::string> source_folders_;
  ReportFormat format_ = ReportFormat::kText;
};

}  // namespace flarestack::cli
