// SPDX-License-Identifier: Apache-2.0
#include "demo/code/random.h"

#include <algorithm>
#include <cmath>

#include "base/hash.h"

namespace flarestack::demo {
namespace {

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;

// The finalizer of splitmix64: each input bit changes half of the output bits.
uint64_t Scramble(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

}  // namespace

Random::Random(uint64_t seed, std::string_view stream, uint64_t number)
    : state_(Scramble(Scramble(seed ^ base::Hash64(stream)) + number * kGolden)) {}

uint64_t Random::Next() {
  state_ += kGolden;
  return Scramble(state_);
}

double Random::Unit() {
  // A double has 53 bits of precision.
  return static_cast<double>(Next() >> 11) * 0x1p-53;
}

uint64_t Random::Below(uint64_t limit) { return Next() % limit; }

double Random::Spread(double middle) {
  constexpr double kWidth = 1.1;
  const double deviation = Unit() + Unit() + Unit() - 1.5;
  return middle * std::exp2(deviation * kWidth);
}

uint64_t Random::Count(double mean) {
  const double whole = std::floor(mean);
  return static_cast<uint64_t>(whole) + (Chance(mean - whole) ? 1 : 0);
}

std::string Random::Bytes(size_t count) {
  std::string bytes(count, '\0');
  while (std::ranges::all_of(bytes, [](char byte) { return byte == '\0'; })) {
    for (char& byte : bytes)
      byte = static_cast<char>(Next() >> 56);
  }
  return bytes;
}

}  // namespace flarestack::demo
