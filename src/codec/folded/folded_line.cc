// SPDX-License-Identifier: Apache-2.0
#include "codec/folded/folded_line.h"

#include <charconv>
#include <limits>

#include "base/text/text.h"

namespace flarestack::codec::folded {
namespace {

constexpr size_t kExcerptBytesMax = 40;

bool IsDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Returns nullopt if the number does not fit.
std::optional<int64_t> ParseDigits(std::string_view digits) {
  int64_t value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec != std::errc{}) {
    return std::nullopt;
  }
  return value;
}

struct Split {
  std::string_view before;
  std::string_view behind;
};

// A line without a space has no value; a line that begins with its only space has no stack.
std::optional<Split> SplitAtLastSpace(std::string_view line) {
  const size_t space = line.rfind(' ');
  if (space == std::string_view::npos) {
    return std::nullopt;
  }
  return Split{.before = line.substr(0, space), .behind = line.substr(space + 1)};
}

absl::Status NoValue(std::string_view found) {
  return absl::InvalidArgumentError(base::StrCat("expected a value after the last space, found \"",
                                                 found.substr(0, kExcerptBytesMax), "\""));
}

absl::Status TooLarge(std::string_view found) {
  return absl::InvalidArgumentError(
      base::StrCat("value ", found.substr(0, kExcerptBytesMax), " does not fit into 63 bits"));
}

}  // namespace

std::string_view TakeLine(std::string_view* text) {
  const size_t end = text->find('\n');
  std::string_view line = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  const size_t last = line.find_last_not_of(" \t\r");
  return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

bool IsSkipped(std::string_view line) { return line.empty() || line.front() == '#'; }

absl::StatusOr<StackAndValue> ParseLine(std::string_view line) {
  const std::optional<Split> split = SplitAtLastSpace(line);
  if (!split.has_value()) {
    return NoValue(line);
  }
  StackAndValue parsed = {.stack = split->before};
  const bool is_negative = split->behind.starts_with('-');
  const std::string_view number = split->behind.substr(is_negative ? 1 : 0);
  const size_t point = number.find('.');
  const std::string_view whole = number.substr(0, point);
  const std::string_view fraction =
      point == std::string_view::npos ? std::string_view() : number.substr(point + 1);
  const bool is_number = (IsDigits(whole) && (fraction.empty() || IsDigits(fraction))) ||
                         (whole.empty() && IsDigits(fraction));
  if (!is_number) {
    return NoValue(split->behind);
  }
  if (is_negative && number.find_first_of("123456789") != std::string_view::npos) {
    return absl::InvalidArgumentError(
        base::StrCat("value ", split->behind.substr(0, kExcerptBytesMax), " is negative"));
  }
  if (!whole.empty()) {
    const std::optional<int64_t> value = ParseDigits(whole);
    if (!value.has_value()) {
      return TooLarge(number);
    }
    parsed.value = *value;
  }
  parsed.is_rounded = fraction.find_first_not_of('0') != std::string_view::npos;
  if (parsed.is_rounded && fraction.front() >= '5') {
    if (parsed.value == std::numeric_limits<int64_t>::max()) {
      return TooLarge(number);
    }
    ++parsed.value;
  }
  return parsed;
}

std::optional<StackAndTwoValues> ParseTwoValues(std::string_view line) {
  const std::optional<Split> last = SplitAtLastSpace(line);
  if (!last.has_value() || !IsDigits(last->behind)) {
    return std::nullopt;
  }
  const std::optional<Split> first = SplitAtLastSpace(last->before);
  if (!first.has_value() || !IsDigits(first->behind)) {
    return std::nullopt;
  }
  const std::optional<int64_t> before = ParseDigits(first->behind);
  const std::optional<int64_t> after = ParseDigits(last->behind);
  if (!before.has_value() || !after.has_value()) {
    return std::nullopt;
  }
  return StackAndTwoValues{.stack = first->before, .before = *before, .after = *after};
}

}  // namespace flarestack::codec::folded
