// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/otlp_sender.h"
#include "model/batch.h"

namespace flarestack::cli {

class SendCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  int ReadMessages();
  int SendAll(OtlpSender* sender);

  std::vector<std::string> paths_;
  std::string endpoint_;
  std::vector<std::string> headers_;
  std::string ca_path_;
  std::string compression_ = "gzip";
  std::string progress_ = "auto";
  double rate_ = 0;
  uint64_t repeat_ = 1;
  bool now_ = false;
  uint64_t bytes_max_ = uint64_t{1} << 30;

  std::vector<std::string> messages_;
};

}  // namespace flarestack::cli
