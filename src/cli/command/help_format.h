// SPDX-License-Identifier: Apache-2.0
//
// The help text of a command: each flag with a placeholder for its value, and a description that
// ends with the default.
//
//   flarestack top: functions by cost
//
//   Usage: flarestack top [FLAGS] [PATH...]
//
//   Flags:
//     -n, --nodecount N         rows to show (default 20)
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace flarestack::cli {

class HelpFormat : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

}  // namespace flarestack::cli
