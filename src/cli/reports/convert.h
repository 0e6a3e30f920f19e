// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/warnings.h"
#include "cli/command/command.h"
#include "cli/flags/filter_flags.h"
#include "cli/input/symbolize.h"
#include "cli/terminal/progress.h"
#include "codec/format/format.h"
#include "codec/input.h"

namespace flarestack::cli {

class ConvertCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  int CheckFlags(const codec::Writer& writer) const;
  std::string TitleFor(const codec::Writer& writer) const;
  int Filtered(model::Batch* batch) const;
  int ReadInputs(codec::InputCollector* inputs, Progress* progress) const;

  std::vector<std::string> paths_;
  std::string from_;
  std::string to_;
  std::string sample_type_;
  std::string title_;
  std::string progress_ = "auto";
  uint64_t bytes_max_ = codec::InputLimits{}.bytes_max;
  bool aggregate_ = false;
  SymbolizeFlags symbolize_;
  FilterFlags filters_;
  base::Warnings warnings_;
};

}  // namespace flarestack::cli
