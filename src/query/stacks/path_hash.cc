// SPDX-License-Identifier: Apache-2.0
#include "query/stacks/path_hash.h"

namespace flarestack::query {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr size_t kHashDigits = 11;  // of 6 bits; the last has 4 and two zero bits

}  // namespace

uint64_t PathHash(uint64_t of_parent, std::string_view name) {
  constexpr uint64_t kPrime = 0x100000001b3;
  uint64_t hash = of_parent;
  for (const char c : name)
    hash = (hash ^ static_cast<uint8_t>(c)) * kPrime;
  return hash * kPrime;  // the zero byte
}

std::string PathHashText(uint64_t hash) {
  std::string text;
  for (int shift = 58; shift >= 0; shift -= 6)
    text += kDigits[hash >> shift & 63];
  text += kDigits[hash << 2 & 63];
  return text;
}

absl::StatusOr<uint64_t> ParsePathHash(std::string_view text) {
  uint64_t hash = 0;
  for (size_t i = 0; i < text.size() && text.size() == kHashDigits; ++i) {
    const size_t digit = kDigits.find(text[i]);
    if (digit == std::string_view::npos)
      break;
    hash = i + 1 < kHashDigits ? hash << 6 | digit : hash << 4 | digit >> 2;
  }
  if (PathHashText(hash) != text)
    return absl::InvalidArgumentError("a node hash has 11 characters of URL-safe Base64");
  return hash;
}

}  // namespace flarestack::query
