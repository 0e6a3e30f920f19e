// SPDX-License-Identifier: Apache-2.0
//
// Settings out of a YAML file of two levels, and the one place that knows yaml-cpp:
//
//   serve:
//     data-dir: /srv/flarestack
//     retention: ${RETENTION:-30d}
//
// References are those of OpenTelemetry's declarative configuration: ${VAR}, ${env:VAR} and
// ${VAR:-default} in values, $$ for a dollar sign. They are replaced after the file was read, so a
// variable cannot bring in keys. A value that is empty then is not set.
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

// What a variable of the environment holds; nothing when it is not set.
using Environment = std::function<std::optional<std::string>(const std::string&)>;

// kInvalidArgument as "line N: ..." when the text is no YAML, of another form, or has a key twice.
absl::StatusOr<std::vector<YamlEntry>> ParseYaml(std::string_view text,
                                                 const Environment& environment);

}  // namespace flarestack::cli
