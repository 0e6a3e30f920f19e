// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command/command.h"
#include "cli/input/stack_source.h"
#include "cli/output/report_format.h"
#include "cli/output/source_text.h"
#include "query/reports/line_costs.h"

namespace flarestack::cli {

// `lines` shows the lines that cost something, `list` all lines of the function.
class LinesCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  // The lines of one function in one file.
  using FunctionCosts = std::span<const query::LineCost>;
  std::string Text(const LoadedStacks& stacks, std::span<const query::LineCost> costs);
  std::string FunctionText(const LoadedStacks& stacks, FunctionCosts costs);
  static std::string LineText(const LoadedStacks& stacks, const query::LineCost& cost,
                              std::string_view source);

  StackSource source_;
  std::string pattern_;
  std::vector<std::string> paths_;
  SourceText sources_;
  ReportFormat format_ = ReportFormat::kText;
  size_t rows_max_ = 0;

 protected:
  bool is_whole_ = false;
};

class ListCommand : public LinesCommand {
 public:
  ListCommand() { is_whole_ = true; }
};

}  // namespace flarestack::cli
