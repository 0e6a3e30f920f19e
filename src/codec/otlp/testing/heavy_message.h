// SPDX-License-Identifier: Apache-2.0
//
// OTLP profiles requests that take much more memory than their bytes, for tests and benchmarks of
// what a server does under load. Each has, beside its weight, one sample of its own in the stack
// "main;nNUMBER" of the service "s0", "s1" or "s2", by which it can be counted later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "model/batch.h"

namespace flarestack::codec::otlp::testing {

enum class Weight : uint8_t {
  kEvents,   // one stack, many timestamps
  kNames,    // each sample has a stack, a location and a function that nobody knows yet
  kNesting,  // attributes of lists in lists, as deep as they may be
  kEmpty,    // entries of two bytes, which are fifty in memory
};

struct HeavyMessage {
  Weight weight = Weight::kEvents;
  uint64_t number = 0;  // messages of other numbers share nothing but "main"
  size_t items = 0;     // events, names, values or entries
  uint64_t time_nanos = 0;
};

// As it stands in the names of kNames: ten digits, so that one can be put in the place of another.
inline uint64_t HeavyNameNumber(uint64_t number) { return 1'000'000'000 + number; }

std::string HeavyProtobuf(const HeavyMessage& message);
std::string HeavyJson(const HeavyMessage& message);  // kEmpty has no JSON of its own: is kNames

}  // namespace flarestack::codec::otlp::testing
