// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command/command.h"
#include "cli/command/failure.h"
#include "cli/flags/source_flags.h"
#include "cli/serve/serve_limits.h"
#include "model/signal.h"
#include "server/server.h"

namespace flarestack::cli {

// Not final: `up` extends it with a recorder.
class ServeCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

  // Converts flag values to server options. Returns nullopt if all values are valid.
  std::optional<Failure> ReadOptions();

 protected:
  // Called when the server accepts requests, and before it stops.
  virtual void OnReady(server::Server*) {}
  virtual void BeforeStop() {}

  const server::ServerOptions& options() const { return options_; }

 private:
  int Serve();
  std::optional<Failure> ReadRetention();

  CLI::App* app_ = nullptr;
  std::string config_path_;
  std::string otlp_grpc_ = "127.0.0.1:4317";
  std::string otlp_http_ = "127.0.0.1:4318";
  std::string http_ = "127.0.0.1:4040";
  std::vector<std::string> gauge_types_;
  std::string retention_ = "7d";
  std::array<std::string, model::kSignals.size()> signal_retentions_;  // empty: same as retention_
  std::string debuginfod_;
  std::string durability_ = "fsync";
  std::string log_format_ = "text";
  std::string log_level_ = "info";
  server::ServerOptions options_;
  bool opens_browser_ = true;
  ServeLimits limits_;
  SourceFlags sources_;
};

}  // namespace flarestack::cli
