// SPDX-License-Identifier: Apache-2.0
//
// A stack as shown to users: one frame per function, including inlined functions, each with the
// best available name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/dictionary.h"

namespace flarestack::model {

// Attribute of a location whose function has no name but a known start address, taken from the
// unwind tables of a stripped file.
inline constexpr std::string_view kFunctionAddressKey = "flarestack.function.address";

// Boolean attribute of a location that belongs to the machinery of a language runtime, such as the
// eval loop of an interpreter. Reports hide these frames by default.
inline constexpr std::string_view kInternalFrameKey = "flarestack.frame.internal";

struct Frame {
  LocationIndex location;
  FunctionIndex function;     // 0 when the location has no symbol
  std::string_view filename;  // source file, may be empty
  int64_t line = 0;
  int64_t column = 0;
  bool is_inlined = false;  // true for all except the physical caller at its location
};

// Leaf first, as in OTLP. The indices of the dictionary must be valid.
std::vector<Frame> FramesOf(const Dictionary& dictionary, StackIndex stack);

// The function's name, else its system name, else "binary!0xbegin+" if the start of the function is
// known, else "binary!0xaddress", else "0xaddress", else "[unknown]".
std::string FrameName(const Dictionary& dictionary, const Frame& frame);

// The value of kFunctionAddressKey.
std::optional<uint64_t> FunctionAddress(const Dictionary& dictionary, LocationIndex location);

// The value of profile.frame.type: "native", "kernel", "jvm"; empty if unknown.
std::string_view FrameType(const Dictionary& dictionary, LocationIndex location);

// True if kInternalFrameKey is true.
bool IsInternalFrame(const Dictionary& dictionary, LocationIndex location);

// The last path element of the mapped file; empty if unknown.
std::string_view ModuleName(const Dictionary& dictionary, const Frame& frame);

}  // namespace flarestack::model
