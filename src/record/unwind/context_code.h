// SPDX-License-Identifier: Apache-2.0
//
// The code that a function begun by makecontext() returns to. Nobody called it: its address was put
// below that function by hand, so it is where such a stack ends. The C library's unwind information
// says nothing of the kind, and a return address is looked up one byte before, which is the end of
// another function; so the code is recognised, and the end begins one byte before it. On arm64 the
// chain of frame pointers ends there by itself.
#pragma once

#include <optional>
#include <vector>

#include "elf/elf_file.h"
#include "record/unwind/code_bytes.h"
#include "record/unwind/row.h"
#include "record/unwind/row_builder.h"

namespace flarestack::record::unwind {

class ContextCode {
 public:
  ContextCode(Machine machine, const elf::ElfFile& file) : machine_(machine), code_(file) {}

  // RULE_STOP for such code in the span, RULE_NONE elsewhere; nothing when there is none.
  std::optional<std::vector<Row>> Ends(const CodeSpan& span) const;

 private:
  Machine machine_;
  CodeBytes code_;
};

}  // namespace flarestack::record::unwind
