// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/command/command.h"
#include "cli/input/api_client.h"
#include "cli/terminal/progress.h"

namespace flarestack::cli {

// `symbols push`: executables and debug files to a server, which names stored profiles by them.
class PushCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  absl::Status Push(const std::string& path, Progress* progress) const;

  std::vector<std::string> paths_;
  std::string progress_ = "auto";
  ApiClient client_{"http://127.0.0.1:4040"};
};

}  // namespace flarestack::cli
