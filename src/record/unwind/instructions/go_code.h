// SPDX-License-Identifier: Apache-2.0
//
// Rules for the functions of Go programs, which have no .eh_frame. They come from the table that
// the runtime uses to unwind its own stacks (pcsp), which stripped programs have too. It contains
// for each address how far the stack pointer is from its value at the call of the function.
//
//   x86-64: CFA = sp + distance + 8; the frame pointer, when there is a frame, right below the
//           return address
//   arm64:  CFA = sp + distance; the return address at sp, the frame pointer below it; in a
//           function without a frame the return address is in the link register
//
// Functions that switch to another stack (systemstack, asmcgocall, cgocallback) keep the frame
// pointer of the stack they left, which leads to their caller. So a stack through C and back has
// all frames of both, where Go's own traces omit those of C.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "elf/elf_file.h"
#include "elf/go/go_pc_values.h"
#include "elf/go/go_pclntab_layout.h"
#include "record/unwind/cfi/cfi_program.h"
#include "record/unwind/rows/row.h"
#include "record/unwind/rows/row_builder.h"

namespace flarestack::record::unwind {

class GoCode {
 public:
  // Returns kNotFound if the file is not a Go program. The bytes of the file must outlive the
  // object.
  static absl::StatusOr<GoCode> Of(Machine machine, const elf::ElfFile& file);

  void AddRows(CfiBudget* budget, RowBuilder* builder) const;

 private:
  explicit GoCode(Machine machine) : machine_(machine) {}

  uint64_t EntryOf(uint64_t index) const;  // index <= function_count
  uint64_t RecordOf(uint64_t index) const;
  void AddFunction(uint64_t index, CfiBudget* budget, RowBuilder* builder) const;
  bpf::unwind_rule PlainRule(int32_t distance, bool has_saved_fp) const;
  bpf::unwind_rule FromCRule(int32_t distance) const;
  bpf::unwind_rule SwitchRule(int32_t distance) const;

  Machine machine_;
  elf::GoTable table_;
  uint64_t text_start_ = 0;
  std::vector<uint64_t> entries_;  // only for old tables, whose entries are pointers
};

}  // namespace flarestack::record::unwind
