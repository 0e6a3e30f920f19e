// SPDX-License-Identifier: Apache-2.0
//
// A stack as people see it: one frame per function, inlined ones included, with the best name there
// is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/dictionary.h"

namespace flarestack::model {

// The attribute of a location whose function has no name but is known to begin at this address, as
// the unwind tables of a stripped file tell.
inline constexpr std::string_view kFunctionAddressKey = "flarestack.function.address";

struct Frame {
  LocationIndex location;
  FunctionIndex function;     // 0 when the location has no symbol
  std::string_view filename;  // source file, may be empty
  int64_t line = 0;
  int64_t column = 0;
  bool is_inlined = false;  // true for all but the physical caller at its location
};

// Leaf first, as in OTLP. The indices of the dictionary must be valid.
std::vector<Frame> FramesOf(const Dictionary& dictionary, StackIndex stack);

// The function's name, else its system name, else "binary!0xbegin+" where the begin of the function
// is known, else "binary!0xaddress", else "0xaddress", else "[unknown]".
std::string FrameName(const Dictionary& dictionary, const Frame& frame);

// As kFunctionAddressKey says.
std::optional<uint64_t> FunctionAddress(const Dictionary& dictionary, LocationIndex location);

// What runs there, as profile.frame.type says: "native", "kernel", "jvm"; empty when unknown.
std::string_view FrameType(const Dictionary& dictionary, LocationIndex location);

// The last path element of the mapped file, empty when unknown.
std::string_view ModuleName(const Dictionary& dictionary, const Frame& frame);

}  // namespace flarestack::model
