// SPDX-License-Identifier: Apache-2.0
//
// Parses the lines of a folded file, independent of their meaning.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"

namespace flarestack::codec::folded {

// Cuts off and returns the first line of `text`, without its line end (LF or CR LF) and trailing
// blanks.
std::string_view TakeLine(std::string_view* text);

// Whether the line is a comment or empty.
bool IsSkipped(std::string_view line);

struct StackAndValue {
  std::string_view stack;
  int64_t value = 0;
  bool is_rounded = false;
};

// Splits at the last space. Returns kInvalidArgument if the value is malformed.
absl::StatusOr<StackAndValue> ParseLine(std::string_view line);

struct StackAndTwoValues {
  std::string_view stack;
  int64_t before = 0;
  int64_t after = 0;
};

// Returns nullopt unless the line ends in two integers that fit into an int64.
std::optional<StackAndTwoValues> ParseTwoValues(std::string_view line);

}  // namespace flarestack::codec::folded
