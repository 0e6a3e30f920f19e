// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cli/command/command.h"
#include "cli/command/failure.h"
#include "cli/terminal/stop_signals.h"
#include "demo/timeline.h"
#include "server/server.h"

namespace flarestack::cli {

class DemoFeed;

class DemoCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  int Show(const std::string& folder, const StopSignals& signals);
  absl::StatusOr<std::unique_ptr<server::Server>> StartServer(const std::string& folder,
                                                              const demo::Timeline& timeline);
  absl::StatusOr<bool> TellStory(const demo::Timeline& timeline, const StopSignals& signals,
                                 DemoFeed* feed) const;
  void SendLive(const demo::Timeline& timeline, const StopSignals& signals, DemoFeed* feed) const;
  void SayWhere(const server::Server& server, const std::string& folder) const;

  uint64_t seed_ = 1;
  double speed_ = 1;
  bool opens_browser_ = true;
  bool keeps_ = false;
  std::string data_dir_;
  std::string http_;    // empty: the first port that is free
  std::string ui_dir_;  // empty: the built-in pages
};

}  // namespace flarestack::cli
