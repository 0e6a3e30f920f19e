// SPDX-License-Identifier: Apache-2.0
//
// The flag --max-bytes, which is the same for every command that reads profiles.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

namespace flarestack::cli {

// CLI11 takes -1 for the largest number there is, and so a number that is too large. It wants to
// hear what is wrong, or nothing.
inline std::string RefuseOddNumber(const std::string& text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range)
    return text + " is too large";
  return error == std::errc() ? "" : "\"" + text + "\" is not a number, 0 or more";
}

inline void AddByteLimit(CLI::App* app, uint64_t* bytes_max) {
  app->add_option("--max-bytes", *bytes_max, "largest input after decompression (default 1 GiB)")
      ->transform(CLI::AsSizeValue(false))
      ->transform(CLI::Validator(RefuseOddNumber, "", "number"));
}

}  // namespace flarestack::cli
