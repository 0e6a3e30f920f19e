// SPDX-License-Identifier: Apache-2.0
//
// OTLP profiles requests that need much more memory than their bytes, for tests and benchmarks of a
// server under load. In addition to its weight, each has one unique sample in the stack
// "main;nNUMBER" of the service "s0", "s1" or "s2", by which it can be counted later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "model/batch.h"

namespace flarestack::codec::otlp::testing {

enum class Weight : uint8_t {
  kEvents,   // one stack, many timestamps
  kNames,    // each sample has a new stack, location and function
  kNesting,  // attributes with nested lists, as deep as allowed
  kEmpty,    // entries of two bytes that need fifty in memory
};

struct HeavyMessage {
  Weight weight = Weight::kEvents;
  uint64_t number = 0;  // messages with different numbers share only "main"
  size_t items = 0;     // events, names, values or entries
  uint64_t time_nanos = 0;
};

// The number used in the names of kNames: ten digits, so that one can replace another.
inline uint64_t HeavyNameNumber(uint64_t number) { return 1'000'000'000 + number; }

std::string HeavyProtobuf(const HeavyMessage& message);
std::string HeavyJson(const HeavyMessage& message);  // kEmpty has no JSON form: uses kNames

}  // namespace flarestack::codec::otlp::testing
