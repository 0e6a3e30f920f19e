// SPDX-License-Identifier: Apache-2.0
//
// Where a server finds source files, and the repositories that it links to.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/command/failure.h"
#include "server/symbols/source_service.h"

namespace flarestack::cli {

class SourceFlags {
 public:
  void Define(CLI::App* app);

  // Fills in the options. Returns nullopt if all values are valid.
  std::optional<Failure> Read(server::SourceOptions* options) const;

 private:
  std::vector<std::string> folders_;
  std::vector<std::string> urls_;
  std::vector<std::string> prefixes_;
};

}  // namespace flarestack::cli
