// SPDX-License-Identifier: Apache-2.0
#include "query/scope/time_expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "base/clock.h"
#include "base/status.h"

namespace flarestack::query {
namespace {

constexpr uint64_t kSecond = base::kNanosPerSecond;

struct Unit {
  std::string_view name;
  uint64_t nanos;
};
// Longer names first, so that "ms" does not parse as minutes.
constexpr std::array kUnits = {
    Unit{"ns", 1},
    Unit{"us", 1000},
    Unit{"ms", 1'000'000},
    Unit{"s", kSecond},
    Unit{"m", 60 * kSecond},
    Unit{"h", 3600 * kSecond},
    Unit{"d", 86400 * kSecond},
    Unit{"w", 7 * 86400 * kSecond},
};

absl::Status BadTime(std::string_view text) {
  return absl::InvalidArgumentError(
      base::StrCat("\"", text, "\" is not a time; use now-1h, 2026-03-01T12:30:00Z or Unix time"));
}

absl::Status BadDuration(std::string_view text) {
  return absl::InvalidArgumentError(
      base::StrCat("\"", text, "\" is not a duration; use 30s, 5m, 2h or 7d"));
}

std::optional<double> TakeNumber(std::string_view* text) {
  double number = 0;
  const auto [end, error] =
      std::from_chars(text->data(), text->data() + text->size(), number, std::chars_format::fixed);
  if (error != std::errc() || number < 0)
    return std::nullopt;
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  return number;
}

// Parses one duration such as "90s" at the start of the text.
std::optional<uint64_t> TakeDuration(std::string_view* text) {
  const std::optional<double> number = TakeNumber(text);
  if (!number.has_value())
    return std::nullopt;
  for (const Unit& unit : kUnits) {
    if (!text->starts_with(unit.name))
      continue;
    // "m" must not be the start of a longer word.
    const std::string_view rest = text->substr(unit.name.size());
    if (!rest.empty() && rest[0] >= 'a' && rest[0] <= 'z')
      continue;
    *text = rest;
    const double nanos = *number * static_cast<double>(unit.nanos);
    if (nanos > 9e18)
      return std::nullopt;
    return static_cast<uint64_t>(std::llround(nanos));
  }
  return std::nullopt;
}

// The magnitude of an epoch determines its unit: seconds have ten digits for the next 260 years.
absl::StatusOr<uint64_t> FromEpoch(std::string_view text) {
  uint64_t whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error != std::errc())
    return BadTime(text);
  uint64_t unit = kSecond;
  for (const uint64_t limit : {100'000'000'000, 100'000'000'000'000, 100'000'000'000'000'000}) {
    if (whole >= limit)
      unit /= 1000;
  }
  uint64_t fraction = 0;
  std::string_view rest = text.substr(static_cast<size_t>(end - text.data()));
  if (rest.starts_with('.')) {
    uint64_t place = unit / 10;
    for (rest.remove_prefix(1); !rest.empty() && rest[0] >= '0' && rest[0] <= '9';
         rest.remove_prefix(1), place /= 10)
      fraction += static_cast<uint64_t>(rest[0] - '0') * place;
  }
  if (!rest.empty() || whole > UINT64_MAX / unit)
    return BadTime(text);
  return whole * unit + fraction;
}

absl::StatusOr<uint64_t> FromCalendar(std::string_view text) {
  absl::Time time;
  std::string error;
  const std::string copy(text);
  const bool is_date = copy.size() == 10;
  if (!absl::ParseTime(is_date ? "%Y-%m-%d" : absl::RFC3339_full, copy, &time, &error) ||
      time < absl::UnixEpoch())
    return BadTime(text);
  return static_cast<uint64_t>(absl::ToUnixNanos(time));
}

}  // namespace

absl::StatusOr<uint64_t> ParseDuration(std::string_view text) {
  std::string_view rest = text;
  uint64_t sum = 0;
  do {
    const std::optional<uint64_t> part = TakeDuration(&rest);
    if (!part.has_value())
      return BadDuration(text);
    sum += *part;
  } while (!rest.empty());
  return sum;
}

absl::StatusOr<uint64_t> ParseTime(std::string_view text, uint64_t now_nanos) {
  if (!text.starts_with("now"))
    return text.find('-') != std::string_view::npos ? FromCalendar(text) : FromEpoch(text);
  std::string_view rest = text.substr(3);
  uint64_t time = now_nanos;
  while (!rest.empty()) {
    const char sign = rest[0];
    rest.remove_prefix(1);
    const std::optional<uint64_t> part = TakeDuration(&rest);
    if ((sign != '-' && sign != '+') || !part.has_value())
      return BadTime(text);
    time = sign == '+' ? time + *part : time - std::min(time, *part);
  }
  return time;
}

}  // namespace flarestack::query
