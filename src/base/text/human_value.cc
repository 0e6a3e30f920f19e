// SPDX-License-Identifier: Apache-2.0
#include "base/text/human_value.h"

#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "base/text/text.h"

namespace flarestack::base {
namespace {

struct Scale {
  double factor;
  std::string_view suffix;
};

// In ascending order; a value uses the last scale that it reaches.
constexpr std::array<Scale, 6> kTimes = {
    {{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}, {120e9, "min"}, {7200e9, "h"}}};
constexpr std::array<double, 6> kTimeUnits = {1, 1e3, 1e6, 1e9, 60e9, 3600e9};
constexpr std::array<Scale, 6> kSizes = {{{1, "B"},
                                          {1024.0, "KiB"},
                                          {1048576.0, "MiB"},
                                          {1073741824.0, "GiB"},
                                          {1099511627776.0, "TiB"},
                                          {1125899906842624.0, "PiB"}}};

std::optional<double> NanosecondsIn(std::string_view unit) {
  if (unit == "nanoseconds" || unit == "ns") {
    return 1;
  }
  if (unit == "microseconds" || unit == "us") {
    return 1e3;
  }
  if (unit == "milliseconds" || unit == "ms") {
    return 1e6;
  }
  if (unit == "seconds" || unit == "s") {
    return 1e9;
  }
  return std::nullopt;
}

std::optional<double> BytesIn(std::string_view unit) {
  if (unit == "bytes" || unit == "By") {
    return 1;
  }
  if (unit == "kilobytes" || unit == "KiBy") {
    return 1024;
  }
  if (unit == "megabytes" || unit == "MiBy") {
    return 1048576;
  }
  return std::nullopt;
}

// Three digits, but no fraction for a whole number.
std::string ThreeDigits(double number) {
  const double size = std::abs(number);
  if (size == std::floor(size) && size < 1000) {
    return fmt::format("{:.0f}", number);
  }
  return fmt::format("{:.{}f}", number, size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

size_t ScaleOf(double amount, std::span<const Scale> scales) {
  size_t at = 0;
  while (at + 1 < scales.size() && std::abs(amount) >= scales[at + 1].factor) {
    ++at;
  }
  return at;
}

}  // namespace

std::string HumanValue(int64_t value, std::string_view unit) {
  if (const std::optional<double> factor = NanosecondsIn(unit); factor.has_value()) {
    const double ns = static_cast<double>(value) * *factor;
    const size_t at = ScaleOf(ns, kTimes);
    return StrCat(ThreeDigits(ns / kTimeUnits[at]), " ", kTimes[at].suffix);
  }
  if (const std::optional<double> factor = BytesIn(unit); factor.has_value()) {
    const double bytes = static_cast<double>(value) * *factor;
    const size_t at = ScaleOf(bytes, kSizes);
    return StrCat(ThreeDigits(bytes / kSizes[at].factor), " ", kSizes[at].suffix);
  }
  return WithUnit(GroupDigits(value), unit == "count" ? "" : unit);
}

std::string WithUnit(std::string_view number, std::string_view unit) {
  if (unit == "1" || unit.starts_with("1/"))
    unit.remove_prefix(1);
  std::string shown;
  for (const char c : unit) {
    if (c != '{' && c != '}')
      shown += c;
  }
  return StrCat(number, shown.empty() || shown.front() == '/' ? "" : " ", shown);
}

std::string GroupDigits(int64_t value) {
  std::string text = StrCat(value);
  const size_t digits_begin = text.front() == '-' ? 1 : 0;
  for (size_t at = text.size(); at > digits_begin + 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string Percent(int64_t part, int64_t whole) {
  if (whole <= 0) {
    return "0 %";
  }
  return fmt::format("{:.2f} %", static_cast<double>(part) / static_cast<double>(whole) * 100);
}

}  // namespace flarestack::base
