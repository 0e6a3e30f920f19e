// SPDX-License-Identifier: Apache-2.0
//
// The code that a signal handler returns to. The kernel put the registers of the interrupted frame
// on the stack above it. Not every C library says so in its unwind information, but the code is
// always the same: the system call rt_sigreturn and nothing else.
//
// The rule begins one byte before the code: nobody called it, yet its first address is looked up as
// return addresses are, one byte before.
#pragma once

#include <string_view>

#include "elf/elf_file.h"
#include "record/unwind/code_bytes.h"
#include "record/unwind/row.h"
#include "record/unwind/row_builder.h"

namespace flarestack::record::unwind {

class SignalCode {
 public:
  SignalCode(Machine machine, const elf::ElfFile& file) : machine_(machine), code_(file) {}

  Machine machine() const { return machine_; }
  std::string_view bytes() const;  // of the code, the same in all files of a machine

  bool IsAt(uint64_t address) const;

  // Whether the code is anywhere in the file. Of large files only the beginning is searched.
  bool IsAnywhere() const;

  // Adds what begins in this part of the code, or right before or behind it.
  void AddRows(const CodeSpan& part, RowBuilder* builder) const;

 private:
  Machine machine_;
  CodeBytes code_;
};

}  // namespace flarestack::record::unwind
