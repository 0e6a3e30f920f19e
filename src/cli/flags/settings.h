// SPDX-License-Identifier: Apache-2.0
//
// Flags that may also come from the environment and from files:
//
//   command line > FLARESTACK_... > ./flarestack.yaml > user's file > system's file > default
//
// Wherever a value comes from, it is checked as if it stood on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/flags/yaml_file.h"

namespace flarestack::cli {

struct SettingSources {
  std::vector<std::string> files;  // the strongest first
  bool files_must_exist = false;
  bool use_variables = true;  // those named after flags; references in files are always replaced
  Environment environment;
};

// Those of this process. A `config_path`, or FLARESTACK_CONFIG where it is empty, takes the place
// of the three files.
SettingSources ProcessSources(const std::string& config_path);

struct Setting {
  std::string name;    // "data-dir"
  std::string value;   // as it was given
  std::string source;  // "command line", "FLARESTACK_DATA_DIR", "flarestack.yaml:3" or "default"
};

// Gives values to the flags of `app` that the command line left open, from the environment and from
// the section of the files that has the app's name. Answers all of them, in the order of the help.
// kInvalidArgument names the source: an unknown key, or a value that the flag does not take.
absl::StatusOr<std::vector<Setting>> ApplySettings(std::string_view section,
                                                   const SettingSources& sources, CLI::App* app);

// "FLARESTACK_DATA_DIR" of "data-dir".
std::string VariableName(std::string_view flag);

// Not a setting itself: which file to read.
inline constexpr std::string_view kConfigFlag = "config";

}  // namespace flarestack::cli
