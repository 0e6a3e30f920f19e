// SPDX-License-Identifier: Apache-2.0
//
// The limit flags of `serve`.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "cli/command/failure.h"
#include "server/limits/limits.h"

namespace flarestack::cli {

class ServeLimits {
 public:
  void Define(CLI::App* app, server::Limits* limits);

  // Parses the time flags. Returns nullopt if all values are valid.
  std::optional<Failure> Read();

 private:
  server::Limits* limits_ = nullptr;
  std::string header_timeout_ = "10s";
  std::string body_timeout_ = "1m";
  std::string queue_timeout_ = "1s";
  std::string idle_timeout_ = "1m";
};

}  // namespace flarestack::cli
