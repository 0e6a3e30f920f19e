// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/command/command.h"
#include "cli/input/stack_source.h"
#include "cli/output/report_format.h"
#include "query/reports/neighbours.h"

namespace flarestack::cli {

class PeekCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  std::string Text(const LoadedStacks& stacks,
                   const std::vector<query::Neighbourhood>& found) const;

  StackSource source_;
  std::string pattern_;
  std::vector<std::string> paths_;
  size_t rows_max_ = 10;
  ReportFormat format_ = ReportFormat::kText;
};

}  // namespace flarestack::cli
