// SPDX-License-Identifier: Apache-2.0
//
// What the environment of a process tells any OpenTelemetry SDK about it: OTEL_SERVICE_NAME and
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

// The value of a variable in "NAME=value\0NAME=value\0", as /proc/PID/environ has it. A last
// variable without its end was cut, and does not count. Empty is as good as absent, as the
// specification says. A view into `environment`.
std::string_view FindVariable(std::string_view environment, std::string_view name);

// "key1=value1,key2=value2", percent-encoded. Keys are unique: the last one wins. Nothing when any
// of it is bad (no "=", no key, a broken escape, no UTF-8), or when there are more than 128
// attributes: the specification asks to discard all of it then.
std::optional<std::vector<TextAttribute>> ParseResourceAttributes(std::string_view text);

}  // namespace flarestack::record::agent
