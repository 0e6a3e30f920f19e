// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/export_response_text.h"

#include <algorithm>
#include <charconv>

#include "base/text/encoding.h"
#include "base/text/text.h"

namespace flarestack::codec::otlp {
namespace {

using std::chrono::nanoseconds;

constexpr int64_t kNanosPerSecond = 1'000'000'000;
constexpr size_t kNanosDigits = 9;

bool AllDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::string Shortened(std::string_view text, size_t bytes_max) {
  constexpr std::string_view kDots = "...";
  // Invalid bytes grow when they are replaced, so truncate after the replacement. Truncate before
  // it too, to bound the work.
  std::string valid = base::ToValidUtf8(text.substr(0, bytes_max + 4));
  if (valid.size() <= bytes_max && text.size() <= bytes_max)
    return valid;
  size_t size = std::min(valid.size(), bytes_max - kDots.size());
  while (size > 0 && size < valid.size() && (static_cast<uint8_t>(valid[size]) & 0xc0) == 0x80)
    --size;  // do not split a character
  valid.resize(size);
  return valid.append(kDots);
}

DurationParts PartsOf(nanoseconds duration) {
  return {.seconds = duration.count() / kNanosPerSecond,
          .nanos = static_cast<int32_t>(duration.count() % kNanosPerSecond)};
}

nanoseconds DurationOf(const DurationParts& parts) {
  int64_t nanos = 0;
  if (__builtin_mul_overflow(parts.seconds, kNanosPerSecond, &nanos) ||
      __builtin_add_overflow(nanos, int64_t{parts.nanos}, &nanos)) {
    return parts.seconds < 0 ? nanoseconds::min() : nanoseconds::max();
  }
  return nanoseconds(nanos);
}

std::string DurationText(nanoseconds duration) {
  const DurationParts parts = PartsOf(duration);
  const bool is_negative = duration.count() < 0;
  const auto seconds = static_cast<uint64_t>(is_negative ? -parts.seconds : parts.seconds);
  std::string text = base::StrCat(is_negative ? "-" : "", seconds);
  if (parts.nanos != 0)
    base::StrAppend(&text, fmt::format(".{:09}", is_negative ? -parts.nanos : parts.nanos));
  return text.append("s");
}

std::optional<nanoseconds> ParseDuration(std::string_view text) {
  if (!text.ends_with('s'))
    return std::nullopt;
  text.remove_suffix(1);
  const bool is_negative = text.starts_with('-');
  if (is_negative)
    text.remove_prefix(1);
  const size_t dot = text.find('.');
  const std::string_view whole = text.substr(0, dot);
  DurationParts parts;
  if (!AllDigits(whole) ||
      std::from_chars(whole.data(), whole.data() + whole.size(), parts.seconds).ec != std::errc())
    return std::nullopt;
  if (dot != std::string_view::npos) {
    std::string fraction(text.substr(dot + 1));
    if (!AllDigits(fraction) || fraction.size() > kNanosDigits)
      return std::nullopt;
    fraction.resize(kNanosDigits, '0');
    std::from_chars(fraction.data(), fraction.data() + fraction.size(), parts.nanos);
  }
  if (is_negative)
    parts = {.seconds = -parts.seconds, .nanos = -parts.nanos};
  return DurationOf(parts);
}

}  // namespace flarestack::codec::otlp
