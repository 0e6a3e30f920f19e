// SPDX-License-Identifier: Apache-2.0
#include "sdk/export/sha256.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace flarestack::sdk {
namespace {

// The first 32 bits of the fractional parts of the roots of the first primes, as the standard
// defines them: computed, so that there is no table to get wrong.
struct Constants {
  std::array<uint32_t, 8> start = {};
  std::array<uint32_t, 64> rounds = {};
};

constexpr bool IsPrime(unsigned number) {
  for (unsigned divisor = 2; divisor * divisor <= number; ++divisor) {
    if (number % divisor == 0)
      return false;
  }
  return number > 1;
}

// floor(root * 2^32) of an integer, by bisection; `power` is 2 or 3.
__extension__ using Wide = unsigned __int128;
constexpr uint64_t ScaledRoot(uint64_t number, int power) {
  uint64_t low = 0;
  uint64_t high = uint64_t{1} << 37;
  while (low + 1 < high) {
    const uint64_t middle = low + (high - low) / 2;
    bool is_below = false;
    if (power == 2) {
      is_below = static_cast<Wide>(middle) * middle <= (static_cast<Wide>(number) << 64);
    } else {
      // middle^3 <= number * 2^96, without overflow: divide instead.
      is_below = static_cast<Wide>(middle) * middle <= (static_cast<Wide>(number) << 96) / middle;
    }
    (is_below ? low : high) = middle;
  }
  return low;
}

constexpr Constants MakeConstants() {
  Constants constants;
  unsigned prime = 2;
  for (size_t i = 0; i < 64; ++prime) {
    if (!IsPrime(prime))
      continue;
    if (i < 8)
      constants.start[i] = static_cast<uint32_t>(ScaledRoot(prime, 2));
    constants.rounds[i++] = static_cast<uint32_t>(ScaledRoot(prime, 3));
  }
  return constants;
}
constexpr Constants kConstants = MakeConstants();
static_assert(kConstants.start[0] == 0x6a09e667 && kConstants.rounds[63] == 0xc67178f2);

void AddBlock(const uint8_t* block, std::array<uint32_t, 8>* hash) {
  std::array<uint32_t, 64> words;
  for (size_t i = 0; i < 16; ++i) {
    words[i] = (uint32_t{block[4 * i]} << 24) | (uint32_t{block[4 * i + 1]} << 16) |
               (uint32_t{block[4 * i + 2]} << 8) | uint32_t{block[4 * i + 3]};
  }
  for (size_t i = 16; i < 64; ++i) {
    const uint32_t a = words[i - 15];
    const uint32_t b = words[i - 2];
    words[i] = words[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) + words[i - 7] +
               (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
  }
  std::array<uint32_t, 8> s = *hash;
  for (size_t i = 0; i < 64; ++i) {
    const uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
    const uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    const uint32_t first = s[7] + (std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25)) +
                           choice + kConstants.rounds[i] + words[i];
    const uint32_t second =
        (std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22)) + majority;
    s = {first + second, s[0], s[1], s[2], s[3] + first, s[4], s[5], s[6]};
  }
  for (size_t i = 0; i < 8; ++i)
    (*hash)[i] += s[i];
}

// Of the head, the tail and the length of a file.
std::string HashOf(std::string content, uint64_t length) {
  for (int i = 7; i >= 0; --i)
    content += static_cast<char>((length >> (8 * i)) & 0xff);
  const auto hash = Sha256(content);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < 16; ++i) {
    text += kDigits[hash[i] >> 4];
    text += kDigits[hash[i] & 15];
  }
  return text;
}

}  // namespace

std::array<uint8_t, 32> Sha256(std::string_view bytes) {
  std::array<uint32_t, 8> hash = kConstants.start;
  std::string padded(bytes);
  padded += '\x80';
  padded.resize((padded.size() + 8 + 63) / 64 * 64 - 8);
  const uint64_t bits = bytes.size() * 8;
  for (int i = 7; i >= 0; --i)
    padded += static_cast<char>((bits >> (8 * i)) & 0xff);
  for (size_t at = 0; at < padded.size(); at += 64)
    AddBlock(reinterpret_cast<const uint8_t*>(padded.data()) + at, &hash);
  std::array<uint8_t, 32> result;
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = static_cast<uint8_t>(hash[i / 4] >> (24 - 8 * (i % 4)));
  return result;
}

std::string HtlHashOf(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return "";
  struct stat facts = {};
  constexpr off_t kPartBytes = 4096;
  std::string content;
  bool is_read = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
  if (is_read) {
    const off_t part = std::min(kPartBytes, facts.st_size);
    content.resize(static_cast<size_t>(2 * part));
    is_read =
        pread(file, content.data(), static_cast<size_t>(part), 0) == part &&
        pread(file, content.data() + part, static_cast<size_t>(part), facts.st_size - part) == part;
  }
  close(file);
  if (!is_read)
    return "";
  return HashOf(std::move(content), static_cast<uint64_t>(facts.st_size));
}

std::string HtlHashOfImage(std::string_view image) {
  const size_t part = std::min(size_t{4096}, image.size());
  std::string content(image.substr(0, part));
  content += image.substr(image.size() - part);
  return HashOf(std::move(content), image.size());
}

}  // namespace flarestack::sdk
