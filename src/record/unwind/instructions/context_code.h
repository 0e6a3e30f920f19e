// SPDX-License-Identifier: Apache-2.0
//
// Recognizes the code that a function started by makecontext() returns to. No call leads there:
// makecontext() places its address below that function, so such a stack ends there. The C library's
// unwind information does not describe this, and a return address is looked up one byte earlier, in
// the end of another function. So the code is recognized by its bytes, and the stop rule begins one
// byte before it. On arm64 the chain of frame pointers ends there anyway.
#pragma once

#include <optional>
#include <vector>

#include "elf/elf_file.h"
#include "record/unwind/instructions/code_bytes.h"
#include "record/unwind/rows/row.h"
#include "record/unwind/rows/row_builder.h"

namespace flarestack::record::unwind {

class ContextCode {
 public:
  ContextCode(Machine machine, const elf::ElfFile& file) : machine_(machine), code_(file) {}

  // Returns rows with RULE_STOP for such code in the span and RULE_NONE elsewhere; nullopt if there
  // is none.
  std::optional<std::vector<Row>> Ends(const CodeSpan& span) const;

 private:
  Machine machine_;
  CodeBytes code_;
};

}  // namespace flarestack::record::unwind
