// SPDX-License-Identifier: Apache-2.0
//
// Flags that can also be set by environment variables and files:
//
//   command line > FLARESTACK_... > ./flarestack.yaml > user's file > system's file > default
//
// A value from any source gets the same checks as one on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/flags/yaml_file.h"

namespace flarestack::cli {

struct SettingSources {
  std::vector<std::string> files;  // highest precedence first
  bool files_must_exist = false;
  // variables named after flags; references in files are always expanded
  bool use_variables = true;
  Environment environment;
};

// The sources of this process. A `config_path`, or FLARESTACK_CONFIG if it is empty, replaces the
// three files.
SettingSources ProcessSources(const std::string& config_path);

struct Setting {
  std::string name;    // "data-dir"
  std::string value;   // as it was given
  std::string source;  // "command line", "FLARESTACK_DATA_DIR", "flarestack.yaml:3" or "default"
};

// Sets the flags of `app` that the command line left unset, from the environment and from the
// files' section named after the app. Returns all settings, in the order of the help. Returns
// kInvalidArgument, naming the source, for an unknown key or a value that the flag rejects.
absl::StatusOr<std::vector<Setting>> ApplySettings(std::string_view section,
                                                   const SettingSources& sources, CLI::App* app);

// "data-dir" becomes "FLARESTACK_DATA_DIR".
std::string VariableName(std::string_view flag);

// Selects the file to read; not a setting itself.
inline constexpr std::string_view kConfigFlag = "config";

}  // namespace flarestack::cli
