// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cli/command/command.h"
#include "cli/record/agent_flags.h"
#include "record/export/otlp_environment.h"

namespace flarestack::cli {

class AgentCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  AgentFlags agent_;
  record::exporting::OtlpTargetFlags target_;
  std::string spool_directory_;
  uint64_t spool_bytes_max_ = uint64_t{1} << 30;
  std::string metrics_;  // HOST:PORT; empty: nowhere
  std::string metrics_interval_ = "30s";
  std::string log_level_ = "info";
};

}  // namespace flarestack::cli
