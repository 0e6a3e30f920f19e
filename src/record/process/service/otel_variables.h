// SPDX-License-Identifier: Apache-2.0
//
// Reads the environment variables that configure any OpenTelemetry SDK: OTEL_SERVICE_NAME and
// OTEL_RESOURCE_ATTRIBUTES.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flarestack::record::agent {

struct TextAttribute {
  std::string key;
  std::string value;

  friend bool operator==(const TextAttribute&, const TextAttribute&) = default;
};

// Returns the value of a variable in "NAME=value\0NAME=value\0", the format of /proc/PID/environ.
// Ignores an unterminated last variable, because it was truncated. An empty value counts as unset,
// as the specification says. The result is a view into `environment`.
std::string_view FindVariable(std::string_view environment, std::string_view name);

// Parses "key1=value1,key2=value2", percent-encoded. Keys are unique: the last one wins. Returns
// nullopt if any part is malformed (no "=", no key, a malformed escape, invalid UTF-8), or if there
// are more than 128 attributes: the specification requires discarding everything then.
std::optional<std::vector<TextAttribute>> ParseResourceAttributes(std::string_view text);

}  // namespace flarestack::record::agent
