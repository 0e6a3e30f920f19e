// SPDX-License-Identifier: Apache-2.0
//
// Numbers that look like chance and are decided by a seed.
//
// Each thing that is made has a stream of its own, named after it: request 7 is the same whether or
// not request 6 was made before it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace flarestack::demo {

class Random {
 public:
  // Streams of other names or numbers have nothing in common.
  Random(uint64_t seed, std::string_view stream, uint64_t number);

  uint64_t Next();
  double Unit();                   // 0 to 1, without 1
  uint64_t Below(uint64_t limit);  // `limit` is not 0
  double Between(double low, double high) { return low + (high - low) * Unit(); }
  bool Chance(double probability) { return Unit() < probability; }

  // As durations are: most are near the middle, some are three times as long.
  double Spread(double middle);

  // A whole number that is `mean` on average.
  uint64_t Count(double mean);

  // For ids: never all zero.
  std::string Bytes(size_t count);

 private:
  uint64_t state_;
};

}  // namespace flarestack::demo
