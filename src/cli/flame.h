// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/flame_view.h"
#include "cli/stack_source.h"

namespace flarestack::cli {

class FlameCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  StackSource source_;
  std::vector<std::string> paths_;
  bool once_ = false;
  size_t width_ = 0;
  size_t depth_ = 0;
  std::string search_;
};

}  // namespace flarestack::cli
