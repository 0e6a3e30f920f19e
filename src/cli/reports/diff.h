// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/command/command.h"
#include "cli/input/comparison.h"
#include "cli/input/stack_source.h"
#include "cli/output/report_format.h"
#include "query/diff/diff.h"
#include "query/diff/threshold.h"

namespace flarestack::cli {

class DiffCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  struct Result {
    query::Diff diff;
    std::vector<query::Explanation> explanations;
    std::vector<std::string> exceeded;
    size_t shown = 0;  // rows
    std::string link;  // of the page that shows the same
  };

  int ParseThresholds(std::vector<query::Threshold>* thresholds) const;
  std::string Text(const Result& result) const;
  std::string Markdown(const Result& result) const;
  std::string Json(const Result& result) const;
  std::string Rows(const Result& result) const;

  StackSource source_;
  Comparison comparison_;
  std::string before_;
  std::string after_;
  std::vector<std::string> fail_on_;
  size_t rows_max_ = 20;
  ReportFormat format_ = ReportFormat::kText;
};

}  // namespace flarestack::cli
