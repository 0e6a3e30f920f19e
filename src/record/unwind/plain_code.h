// SPDX-License-Identifier: Apache-2.0
//
// Rules for code that no table describes (musl, assembly, stubs that a linker made), from its
// instructions: each function is followed from its first instruction along all branches, and what
// was pushed and subtracted so far says where the return address is.
//
// Functions begin where a symbol says so, where a call goes to, and behind one that ended. One that
// cannot be right is left out: a return that is not at the return address, or an instruction that
// two ways lead to with different stacks. Rules have the flag RULE_FROM_CODE, so that a walk checks
// what they lead to.
#pragma once

#include <cstdint>
#include <vector>

#include "elf/elf_file.h"
#include "record/unwind/code_bytes.h"
#include "record/unwind/function_walk.h"
#include "record/unwind/row.h"
#include "record/unwind/row_builder.h"

namespace flarestack::record::unwind {

class PlainCode {
 public:
  // Symbols are read where the file has `entry_count` entries of unwind tables, too few for its
  // size. The bytes of the file must outlive it.
  PlainCode(Machine machine, const elf::ElfFile& file, uint64_t entry_count);

  // Rows of the parts of the span that have none in `known`, which begins where the span does.
  std::vector<Row> Rows(const CodeSpan& span, const std::vector<Row>& known) const;

 private:
  std::vector<CodeSpan>::const_iterator FirstEndingAbove(uint64_t address) const;
  CodeGap GapOf(const CodeSpan& gap_span, const CodeSpan& span) const;

  Machine machine_;
  CodeBytes code_;
  std::vector<CodeSpan> functions_;  // by symbols, sorted
  std::vector<uint64_t> called_;     // where other functions begin, sorted
};

}  // namespace flarestack::record::unwind
