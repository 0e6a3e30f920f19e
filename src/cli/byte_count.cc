// SPDX-License-Identifier: Apache-2.0
#include "cli/byte_count.h"

#include <charconv>
#include <cstdint>
#include <system_error>

namespace flarestack::cli {

std::string RefuseOddByteCount(const std::string& text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range)
    return text + " is too large";
  return error == std::errc() ? "" : "\"" + text + "\" is not a number of bytes";
}

}  // namespace flarestack::cli
