// SPDX-License-Identifier: Apache-2.0
//
// Size flags, and --max-bytes, which is the same for every command that reads profiles.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

namespace flarestack::cli {

// CLI11 silently accepts -1 and numbers that are too large. Returns an error text for them, or an
// empty string.
inline std::string CheckByteLimit(const std::string& text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range)
    return text + " is too large";
  return error == std::errc() ? "" : "\"" + text + "\" is not a non-negative number";
}

// A number of bytes, or one with a unit such as 50GiB.
inline CLI::Option* AddSize(CLI::App* app, const std::string& name, uint64_t* bytes,
                            const std::string& help) {
  return app->add_option(name, *bytes, help)
      ->transform(CLI::AsSizeValue(false))
      ->transform(CLI::Validator(CheckByteLimit, "", "size"));
}

inline void AddByteLimit(CLI::App* app, uint64_t* bytes_max) {
  AddSize(app, "--max-bytes", bytes_max, "maximum input size after decompression (default 1 GiB)");
}

}  // namespace flarestack::cli
