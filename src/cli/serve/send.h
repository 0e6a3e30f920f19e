// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command/command.h"
#include "cli/flags/resource_flags.h"
#include "record/export/otlp_environment.h"
#include "record/export/otlp_sender.h"

namespace flarestack::cli {

class SendCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  int ReadMessages(record::exporting::OtlpProtocol protocol);
  int SendAll(record::exporting::OtlpSenderOptions options);

  std::vector<std::string> paths_;
  std::string from_;  // format of the inputs
  record::exporting::OtlpTargetFlags target_flags_;
  ResourceFlags resource_;
  std::string progress_ = "auto";
  double rate_ = 0;
  uint64_t repeat_ = 1;
  bool now_ = false;
  uint64_t bytes_max_ = uint64_t{1} << 30;

  std::vector<std::string> messages_;
};

}  // namespace flarestack::cli
