// SPDX-License-Identifier: Apache-2.0
//
// Encodes the path of a source file for use in a URL.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "net/http/http_target.h"

namespace flarestack::source {

// Percent-encodes everything except slashes.
inline std::string EncodeUrlPath(std::string_view path) {
  std::string encoded;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    if (begin > 0)
      encoded += '/';
    encoded += net::PercentEncode(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return encoded;
}

}  // namespace flarestack::source
