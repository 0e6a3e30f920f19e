// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/command/command.h"
#include "cli/flame/flame_diff.h"
#include "cli/flame/flame_view.h"
#include "cli/input/comparison.h"
#include "cli/input/stack_source.h"

namespace flarestack::cli {

class FlameCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  int ReadWidths();
  int RunOne();
  int RunDiff();
  PageValues SearchOnPage() const;
  int Draw(const FlameView& view, const std::vector<std::string>& head);

  StackSource source_;
  Comparison comparison_;
  std::vector<std::string> paths_;
  bool is_diff_ = false;
  bool once_ = false;
  std::vector<std::string> width_words_;
  size_t columns_ = 0;
  bool has_basis_ = false;  // whether a width was named
  FlameWidth basis_ = FlameWidth::kUnion;
  size_t depth_ = 0;
  std::string search_text_;
  std::optional<query::Pattern> search_;
};

}  // namespace flarestack::cli
