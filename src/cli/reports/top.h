// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/command/command.h"
#include "cli/input/stack_source.h"
#include "cli/output/report_format.h"
#include "query/reports/top.h"

namespace flarestack::cli {

class TopCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  int ShowBreakdown(const LoadedStacks& stacks) const;

  StackSource source_;
  std::vector<std::string> paths_;
  std::string by_;
  size_t rows_max_ = 20;
  query::TopOrder order_ = query::TopOrder::kSelf;
  ReportFormat format_ = ReportFormat::kText;
};

}  // namespace flarestack::cli
