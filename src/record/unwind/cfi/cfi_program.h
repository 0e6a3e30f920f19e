// SPDX-License-Identifier: Apache-2.0
//
// Executes the call frame instructions of a function (DWARF 5, 6.4) and computes which rule applies
// from which address on. Tracks only the caller's stack pointer (CFA), its frame pointer and the
// return address, which is all a profiler needs for the next step.
//
//   CfiProgram program(Machine::kX86_64, frames.address(), &budget);
//   program.Run(fde, &builder);
//
// All input is untrusted. Addresses whose instructions cannot be followed get RULE_NONE and are
// counted; rows before them stay valid.
#pragma once

#include <cstdint>
#include <string_view>

#include "elf/byte_cursor.h"
#include "elf/frames/eh_frame.h"
#include "record/unwind/cfi/cfi_state.h"
#include "record/unwind/rows/row.h"
#include "record/unwind/rows/row_builder.h"

namespace flarestack::record::unwind {

// Counts entries that could not be converted to rules.
struct UnwindCounts {
  uint64_t unsupported_count = 0;  // rows: an expression or a location that a rule cannot represent
  uint64_t damaged_count = 0;      // functions: unknown or truncated instructions
  uint64_t exhausted_count = 0;    // functions skipped because the budget was used up

  friend bool operator==(const UnwindCounts&, const UnwindCounts&) = default;
};

// Limits the work on one span of code. Many entries may share one long program, so the size of the
// file is not a bound.
struct CfiBudget {
  uint64_t steps = uint64_t{1} << 20;  // instructions left
  UnwindCounts counts;
};

class CfiProgram {
 public:
  // No compiler nests more.
  static constexpr size_t kRememberedMax = 32;

  // `table_address` is the address of the first byte of .eh_frame. The budget must outlive the
  // program.
  CfiProgram(Machine machine, uint64_t table_address, CfiBudget* budget);

  // Adds the rows of the function that lie in the span of the builder.
  void Run(const elf::Fde& fde, RowBuilder* builder);

 private:
  struct Location;

  bool LoadCie(const elf::Cie& cie);
  // Returns false if an instruction is malformed or unknown, or if the budget is used up. Without a
  // location, executes the instructions of a CIE, which apply to all of its functions.
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

  // The CIE executed last; adjacent functions share one.
  const elf::Cie* cie_ = nullptr;
  uint64_t cie_offset_ = UINT64_MAX;
  bool is_cie_good_ = false;
  CfiState initial_;

  CfiState state_;
  CfiState remembered_[kRememberedMax];
  size_t remembered_count_ = 0;
};

}  // namespace flarestack::record::unwind
