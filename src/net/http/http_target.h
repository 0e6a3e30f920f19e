// SPDX-License-Identifier: Apache-2.0
//
// The target of a request line: path and query, percent-decoded.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "net/http/http_message.h"

namespace flarestack::net {

struct HttpTarget {
  std::string path;
  HttpParameters query;
};

// Accepts "/a%20b?x=1&y", "http://host/a" (as sent to a proxy), or "*". Returns kInvalidArgument
// for anything else, for a broken escape in the path, and for a path with a control character. A
// broken escape in the query is kept literally, as in browsers.
absl::StatusOr<HttpTarget> ParseTarget(std::string_view target);

// `+` stays `+`. Returns nullopt if an escape is broken.
std::optional<std::string> PercentDecode(std::string_view text);

std::string PercentEncode(std::string_view text);  // everything except letters, digits and "-._~"

}  // namespace flarestack::net
