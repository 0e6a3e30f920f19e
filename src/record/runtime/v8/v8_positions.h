// SPDX-License-Identifier: Apache-2.0
//
// Decodes the tables by which V8 finds the source position of code. Pure functions over untrusted
// bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace flarestack::record::runtime {

struct V8Position {
  int32_t script_offset = 0;  // in code units of the script
  int32_t inlining = -1;      // index of the inlined call, or -1

  friend bool operator==(const V8Position&, const V8Position&) = default;
};

// How a source position table stores the distance to the entry before.
enum class V8PositionFormat : uint8_t {
  kSigned,  // its sign says whether the entry is a statement
  kFlags,   // since V8 14: two flags are its lowest bits
};

// Decodes a source position as it is stored. Returns nullopt if there is none.
std::optional<V8Position> DecodeV8Position(uint64_t raw);

// The last entry of a source position table at or before an offset of bytecode or code.
std::optional<V8Position> FindV8Position(std::string_view table, uint64_t offset,
                                         V8PositionFormat format);

struct V8BaselineQuery {
  std::string_view table;  // lengths of code, one for each bytecode
  std::string_view bytecodes;
  const std::vector<uint8_t>& bytecode_sizes;  // see V8File
  uint64_t code_offset = 0;                    // of the return address
};

// The offset of the bytecode that baseline code was compiled from.
std::optional<uint64_t> FindV8BytecodeOffset(const V8BaselineQuery& query);

}  // namespace flarestack::record::runtime
