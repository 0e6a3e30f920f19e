// SPDX-License-Identifier: Apache-2.0
//
// Derives rules for code that no table describes (musl, assembly, stubs made by a linker) from its
// instructions: each function is followed from its first instruction along all branches, and the
// pushes and subtractions so far determine where the return address is.
//
// Functions begin at symbols, at targets of calls, and after the end of another function. An
// implausible function is skipped: its stack pointer is not at the return address when it returns,
// or two paths reach an instruction with different stacks. Rules have the flag RULE_FROM_CODE, so
// that the unwinder verifies the return addresses they lead to.
#pragma once

#include <cstdint>
#include <vector>

#include "elf/elf_file.h"
#include "record/unwind/instructions/code_bytes.h"
#include "record/unwind/instructions/function_walk.h"
#include "record/unwind/rows/row.h"
#include "record/unwind/rows/row_builder.h"

namespace flarestack::record::unwind {

class PlainCode {
 public:
  // Reads symbols if `entry_count`, the number of unwind table entries, is too small for the size
  // of the file. The bytes of the file must outlive the object.
  PlainCode(Machine machine, const elf::ElfFile& file, uint64_t entry_count);

  // Returns rows for the parts of the span without rules in `known`, which begins where the span
  // does.
  std::vector<Row> Rows(const CodeSpan& span, const std::vector<Row>& known) const;

 private:
  std::vector<CodeSpan>::const_iterator FirstEndingAbove(uint64_t address) const;
  CodeGap GapOf(const CodeSpan& gap_span, const CodeSpan& span) const;

  Machine machine_;
  CodeBytes code_;
  std::vector<CodeSpan> functions_;  // from symbols, sorted
  std::vector<uint64_t> called_;     // starts of other functions, sorted
};

}  // namespace flarestack::record::unwind
