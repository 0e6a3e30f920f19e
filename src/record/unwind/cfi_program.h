// SPDX-License-Identifier: Apache-2.0
//
// Runs the call frame instructions of a function (DWARF 5, 6.4) and says from which address on
// which rule holds. Of all registers only three are followed: where the caller's stack is (CFA),
// its frame pointer and the return address. That is what a profiler needs for the next step.
//
//   CfiProgram program(Machine::kX86_64, frames.address(), &budget);
//   program.Run(fde, &builder);
//
// Everything here is untrusted. What cannot be followed is RULE_NONE for its addresses and counted;
// what was said before holds.
#pragma once

#include <cstdint>
#include <string_view>

#include "elf/byte_cursor.h"
#include "elf/eh_frame.h"
#include "record/unwind/cfi_state.h"
#include "record/unwind/row.h"
#include "record/unwind/row_builder.h"

namespace flarestack::record::unwind {

// How often something could not be made a rule of.
struct UnwindCounts {
  uint64_t unsupported_count = 0;  // rows: an expression or a place that a rule cannot hold
  uint64_t damaged_count = 0;      // functions: unknown or cut instructions
  uint64_t exhausted_count = 0;    // functions that were left out because the work was too much

  friend bool operator==(const UnwindCounts&, const UnwindCounts&) = default;
};

// What the work on one piece of code may cost. Many entries may share one long program, so the size
// of the file does not bound it.
struct CfiBudget {
  uint64_t steps = uint64_t{1} << 20;  // instructions that are left
  UnwindCounts counts;
};

class CfiProgram {
 public:
  // More are not nested by any compiler.
  static constexpr size_t kRememberedMax = 32;

  // `table_address` is that of the first byte of .eh_frame. The budget must outlive the program.
  CfiProgram(Machine machine, uint64_t table_address, CfiBudget* budget);

  // Adds the rows of the function as far as they lie in the span of the builder.
  void Run(const elf::Fde& fde, RowBuilder* builder);

 private:
  struct Location;

  bool LoadCie(const elf::Cie& cie);
  // False when an instruction is damaged or not known, or the budget is used up. Without a
  // location, the instructions of a CIE, which stand for all of its functions.
  bool Execute(elf::ByteCursor in, Location* location);
  bool Step(uint8_t opcode, elf::ByteCursor& in, Location* location);
  bool StepExtended(uint8_t opcode, elf::ByteCursor& in);
  bool StepCfa(uint8_t opcode, elf::ByteCursor& in);
  bool StepState(uint8_t opcode);
  bool Advance(uint64_t count, Location* location);
  bool SetLocation(elf::ByteCursor& in, Location* location);
  void EmitRow(const Location& location);

  void SetPlace(uint64_t register_number, const RegisterPlace& place);
  void SetOffset(uint64_t register_number, int64_t factored);
  void Restore(uint64_t register_number);
  RegisterPlace PlaceByExpression(std::string_view expression) const;
  bool SetCfaExpression(elf::ByteCursor& in);

  const Machine machine_;
  const MachineRegisters registers_;
  const uint64_t table_address_;
  CfiBudget* const budget_;

  // Of the CIE that was run last; neighbours share one.
  const elf::Cie* cie_ = nullptr;
  uint64_t cie_offset_ = UINT64_MAX;
  bool is_cie_good_ = false;
  CfiState initial_;

  CfiState state_;
  CfiState remembered_[kRememberedMax];
  size_t remembered_count_ = 0;
};

}  // namespace flarestack::record::unwind
