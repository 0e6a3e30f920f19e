// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/command/command.h"
#include "cli/input/stack_source.h"
#include "cli/output/report_format.h"
#include "model/call_tree.h"

namespace flarestack::cli {

class TreeCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  // In the order of a walk from the root, the costliest child first.
  std::vector<uint32_t> Walk(const model::CallTree& tree) const;
  std::string Text(const LoadedStacks& stacks, const model::CallTree& tree,
                   const std::vector<uint32_t>& nodes, size_t shown) const;

  StackSource source_;
  std::vector<std::string> paths_;
  size_t rows_max_ = 100;
  double percent_min_ = 0.5;
  ReportFormat format_ = ReportFormat::kText;
};

}  // namespace flarestack::cli
