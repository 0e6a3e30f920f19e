// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/command/command.h"
#include "cli/input/stack_source.h"
#include "cli/output/report_format.h"
#include "query/reports/breakdown.h"

namespace flarestack::cli {

class TagsCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  struct Key {
    std::string name;
    int64_t total = 0;                        // of the samples that have it
    std::vector<query::BreakdownRow> values;  // the costliest first
  };

  static std::vector<Key> KeysOf(const LoadedStacks& stacks);
  std::string Text(const LoadedStacks& stacks, const std::vector<Key>& keys) const;
  size_t Shown(const Key& key) const;

  std::vector<std::string> paths_;
  std::string key_;
  size_t rows_max_ = 10;
  ReportFormat format_ = ReportFormat::kText;
  StackSource source_;
};

}  // namespace flarestack::cli
