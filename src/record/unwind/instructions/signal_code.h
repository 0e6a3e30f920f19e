// SPDX-License-Identifier: Apache-2.0
//
// Recognizes the code that a signal handler returns to. The kernel has put the registers of the
// interrupted frame on the stack above it. Not every C library describes this in its unwind
// information, but the code is always the same: the system call rt_sigreturn and nothing else.
//
// The rule begins one byte before the code: the code is not called, but its first address is looked
// up like a return address, one byte earlier.
#pragma once

#include <string_view>

#include "elf/elf_file.h"
#include "record/unwind/instructions/code_bytes.h"
#include "record/unwind/rows/row.h"
#include "record/unwind/rows/row_builder.h"

namespace flarestack::record::unwind {

class SignalCode {
 public:
  SignalCode(Machine machine, const elf::ElfFile& file) : machine_(machine), code_(file) {}

  Machine machine() const { return machine_; }
  std::string_view bytes() const;  // the code, which is the same in all files of a machine

  bool IsAt(uint64_t address) const;

  // Returns whether the code is anywhere in the file. Searches only the beginning of large files.
  bool IsAnywhere() const;

  // Adds rows for such code in this part, or right before or after it.
  void AddRows(const CodeSpan& part, RowBuilder* builder) const;

 private:
  Machine machine_;
  CodeBytes code_;
};

}  // namespace flarestack::record::unwind
