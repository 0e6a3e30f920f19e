// SPDX-License-Identifier: Apache-2.0
#include "cli/flags/seconds.h"

#include "query/scope/time_expression.h"

namespace flarestack::cli {

std::optional<std::chrono::nanoseconds> ParseSeconds(const std::string& text) {
  const bool is_number = text.find_first_not_of("0123456789.") == std::string::npos;
  const auto duration = query::ParseDuration(is_number ? text + "s" : text);
  if (!duration.ok())
    return std::nullopt;
  return std::chrono::nanoseconds(*duration);
}

}  // namespace flarestack::cli
