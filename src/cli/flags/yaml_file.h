// SPDX-License-Identifier: Apache-2.0
//
// Reads settings from a YAML file with two levels. Only this file uses yaml-cpp:
//
//   serve:
//     data-dir: /srv/flarestack
//     retention: ${RETENTION:-30d}
//
// References follow OpenTelemetry's declarative configuration: ${VAR}, ${env:VAR} and
// ${VAR:-default} in values, $$ for a dollar sign. They are expanded after parsing, so a variable
// cannot add keys. A value that is empty after that counts as unset.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace flarestack::cli {

struct YamlEntry {
  std::string section;
  std::string key;  // empty: a section without keys
  std::optional<std::string> value;
  int line = 0;  // from 1
};

// The value of an environment variable, or nullopt if it is not set.
using Environment = std::function<std::optional<std::string>(const std::string&)>;

// Returns kInvalidArgument with "line N: ..." if the text is not YAML, has another structure, or
// repeats a key.
absl::StatusOr<std::vector<YamlEntry>> ParseYaml(std::string_view text,
                                                 const Environment& environment);

}  // namespace flarestack::cli
