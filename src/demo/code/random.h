// SPDX-License-Identifier: Apache-2.0
//
// Pseudo-random numbers, determined by a seed.
//
// Each generated item has a separate stream, named after it: request 7 is the same whether or not
// request 6 was generated before it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace flarestack::demo {

class Random {
 public:
  // Streams with different names or numbers are independent.
  Random(uint64_t seed, std::string_view stream, uint64_t number);

  uint64_t Next();
  double Unit();                   // in [0, 1)
  uint64_t Below(uint64_t limit);  // `limit` must not be 0
  double Between(double low, double high) { return low + (high - low) * Unit(); }
  bool Chance(double probability) { return Unit() < probability; }

  // Distributed like durations: most values are near the middle, some are three times as long.
  double Spread(double middle);

  // A random integer whose mean is `mean`.
  uint64_t Count(double mean);

  // For ids: never all zero.
  std::string Bytes(size_t count);

 private:
  uint64_t state_;
};

}  // namespace flarestack::demo
