// SPDX-License-Identifier: Apache-2.0
//
// What any kind of debug information says about code: from here to there, the same functions at the
// same lines. DWARF, Go's pclntab and symbol tables are all read into ranges.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace flarestack::elf {

struct SourceFrame {
  std::string_view function;  // as the compiler wrote it, so possibly mangled
  std::string_view file;      // empty when unknown
  uint32_t line = 0;          // 0 when unknown
  uint32_t column = 0;
  uint32_t start_line = 0;  // where the function is declared

  friend bool operator==(const SourceFrame&, const SourceFrame&) = default;
};

// Addresses are those of the file (ELF virtual addresses), the end excluded. Innermost first: a
// frame after the first is the function into which the one before it was inlined, at the line of
// the call.
struct CodeRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  std::span<const SourceFrame> frames;
};

// The range and its texts live until the call returns; an error ends the reading.
using CodeRangeVisitor = absl::FunctionRef<absl::Status(const CodeRange&)>;

}  // namespace flarestack::elf
