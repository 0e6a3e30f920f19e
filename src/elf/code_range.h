// SPDX-License-Identifier: Apache-2.0
//
// The common result of all debug information: an address range with the same functions at the same
// lines. DWARF, Go's pclntab and symbol tables are all read into ranges.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace flarestack::elf {

struct SourceFrame {
  std::string_view function;  // as in the file, possibly mangled
  std::string_view file;      // empty when unknown
  uint32_t line = 0;          // 0 when unknown
  uint32_t column = 0;
  uint32_t start_line = 0;  // where the function is declared

  friend bool operator==(const SourceFrame&, const SourceFrame&) = default;
};

// Addresses are virtual addresses of the ELF file; the end is exclusive. Frames are innermost
// first: each frame after the first is the function into which the previous one was inlined, at the
// line of the call.
struct CodeRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  std::span<const SourceFrame> frames;
};

// The range and its strings are valid during the call. An error stops the reader.
using CodeRangeVisitor = absl::FunctionRef<absl::Status(const CodeRange&)>;

}  // namespace flarestack::elf
