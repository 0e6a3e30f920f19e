// SPDX-License-Identifier: Apache-2.0
#include "symbol/demangle/punycode.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace flarestack::symbol {
namespace {

// The constants of RFC 3492, section 5.
constexpr uint64_t kBase = 36;
constexpr uint64_t kThresholdMin = 1;
constexpr uint64_t kThresholdMax = 26;
constexpr uint64_t kSkew = 38;
constexpr uint64_t kDamp = 700;
constexpr uint64_t kFirstCodePoint = 0x80;

// Limited, because inserting in the middle is quadratic.
constexpr size_t kCharactersMax = 1024;

// Far above any position, far below an overflow.
constexpr uint64_t kNumberMax = uint64_t{1} << 40;

uint64_t AdaptBias(uint64_t delta, uint64_t character_count, bool is_first) {
  delta /= is_first ? kDamp : 2;
  delta += delta / character_count;
  uint64_t k = 0;
  for (; delta > (kBase - kThresholdMin) * kThresholdMax / 2; k += kBase)
    delta /= kBase - kThresholdMin;
  return k + (kBase - kThresholdMin + 1) * delta / (delta + kSkew);
}

std::optional<uint64_t> Digit(char c) {
  if (c >= 'a' && c <= 'z')
    return static_cast<uint64_t>(c - 'a');
  if (c >= '0' && c <= '9')
    return static_cast<uint64_t>(c - '0' + 26);
  return std::nullopt;
}

// Removes one generalized variable-length integer from the front.
std::optional<uint64_t> TakeNumber(std::string_view& digits, uint64_t bias) {
  uint64_t number = 0;
  uint64_t weight = 1;
  for (uint64_t k = kBase;; k += kBase) {
    const std::optional<uint64_t> digit = digits.empty() ? std::nullopt : Digit(digits[0]);
    if (!digit)
      return std::nullopt;
    digits.remove_prefix(1);
    number += *digit * weight;
    const uint64_t threshold = k <= bias                   ? kThresholdMin
                               : k >= bias + kThresholdMax ? kThresholdMax
                                                           : k - bias;
    if (*digit < threshold)
      return number <= kNumberMax ? std::optional(number) : std::nullopt;
    weight *= kBase - threshold;
    if (weight > kNumberMax || number > kNumberMax)
      return std::nullopt;
  }
}

}  // namespace

bool AppendUtf8(char32_t code_point, std::string* out) {
  if (code_point > 0x10ffff || (code_point >= 0xd800 && code_point <= 0xdfff))
    return false;
  if (code_point < 0x80) {
    out->push_back(static_cast<char>(code_point));
    return true;
  }
  const int tails = code_point < 0x800 ? 1 : code_point < 0x10000 ? 2 : 3;
  constexpr unsigned kLead[] = {0, 0xc0, 0xe0, 0xf0};
  out->push_back(static_cast<char>(kLead[tails] | code_point >> (6 * tails)));
  for (int tail = tails - 1; tail >= 0; --tail)
    out->push_back(static_cast<char>(0x80 | (code_point >> (6 * tail) & 0x3f)));
  return true;
}

std::string DecodePunycode(std::string_view encoded) {
  const size_t delimiter = encoded.rfind('_');
  const std::string_view plain =
      delimiter == std::string_view::npos ? std::string_view() : encoded.substr(0, delimiter);
  std::string_view digits =
      delimiter == std::string_view::npos ? encoded : encoded.substr(delimiter + 1);
  if (digits.empty() || encoded.size() > kCharactersMax)
    return {};
  std::vector<char32_t> characters(plain.begin(), plain.end());
  uint64_t code_point = kFirstCodePoint;
  uint64_t position = 0;
  uint64_t bias = 72;
  for (bool is_first = true; !digits.empty(); is_first = false) {
    const std::optional<uint64_t> delta = TakeNumber(digits, bias);
    if (!delta)
      return {};
    position += *delta;
    const uint64_t count = characters.size() + 1;
    bias = AdaptBias(*delta, count, is_first);
    code_point += position / count;
    position %= count;
    if (code_point > 0x10ffff)
      return {};
    characters.insert(characters.begin() + static_cast<ptrdiff_t>(position),
                      static_cast<char32_t>(code_point));
    ++position;
  }
  std::string utf8;
  for (const char32_t character : characters) {
    if (!AppendUtf8(character, &utf8))
      return {};
  }
  return utf8;
}

}  // namespace flarestack::symbol
