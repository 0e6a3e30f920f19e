// SPDX-License-Identifier: Apache-2.0
//
// The lines of a folded file, apart from what they mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"

namespace flarestack::codec::folded {

// Cuts the first line off `text`, without its end (LF or CR LF) and without blanks behind it.
std::string_view TakeLine(std::string_view* text);

// A comment, or nothing at all.
bool IsSkipped(std::string_view line);

struct StackAndValue {
  std::string_view stack;
  int64_t value = 0;
  bool is_rounded = false;
};

// Splits at the last space. kInvalidArgument says what is wrong with the value.
absl::StatusOr<StackAndValue> ParseLine(std::string_view line);

struct StackAndTwoValues {
  std::string_view stack;
  int64_t before = 0;
  int64_t after = 0;
};

// Nothing unless the line ends in two whole numbers that fit into an int64.
std::optional<StackAndTwoValues> ParseTwoValues(std::string_view line);

}  // namespace flarestack::codec::folded
