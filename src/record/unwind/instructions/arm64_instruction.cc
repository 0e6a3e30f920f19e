// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/instructions/instruction.h"

namespace flarestack::record::unwind {
namespace {

constexpr uint32_t kFp = 29;
constexpr uint32_t kLr = 30;
constexpr uint32_t kSp = 31;

// Returns the sign-extended field of `count` bits starting at bit `from`.
int64_t SignedField(uint32_t code, int from, int count) {
  const int shift = 64 - count;
  return static_cast<int64_t>(uint64_t{code} >> from << shift) >> shift;
}

uint32_t Field(uint32_t code, int from, int count) { return code >> from & ((1u << count) - 1); }

bool ReadFlow(uint32_t code, uint64_t address, Instruction* instruction) {
  const auto to = [&](int64_t words) {
    instruction->target = address + static_cast<uint64_t>(words * 4);
  };
  if ((code & 0x7c000000) == 0x14000000) {  // b, bl
    instruction->flow = (code >> 31) != 0 ? Flow::kCall : Flow::kJump;
    to(SignedField(code, 0, 26));
  } else if ((code & 0xff000000) == 0x54000000 || (code & 0x7e000000) == 0x34000000) {
    instruction->flow = Flow::kBranch;  // b.cond, cbz, cbnz
    to(SignedField(code, 5, 19));
  } else if ((code & 0x7e000000) == 0x36000000) {  // tbz, tbnz
    instruction->flow = Flow::kBranch;
    to(SignedField(code, 5, 14));
  } else if ((code & 0xfe000000) == 0xd6000000) {    // register branch, possibly authenticated
    instruction->is_stub_jump = code == 0xd61f0220;  // br x17
    const uint32_t kind = Field(code, 21, 3);
    instruction->flow = kind == 0   ? Flow::kIndirectJump
                        : kind == 1 ? Flow::kCall
                        : kind == 2 ? Flow::kReturn
                                    : Flow::kTrap;
  } else if ((code & 0xffff0000) == 0 || (code & 0xffe0001f) == 0xd4200000) {  // udf, brk
    instruction->flow = Flow::kTrap;
  } else {
    return false;
  }
  return true;
}

// Which of the two relevant registers a load or store accesses, and where.
struct Saved {
  bool has_fp = false;
  bool has_lr = false;
  int32_t fp_place = 0;
  int32_t lr_place = 0;
};

void SetMemory(bool is_load, const Saved& saved, int32_t change, Instruction* instruction) {
  using enum StackChange;
  const bool both = saved.has_fp && saved.has_lr && saved.lr_place == saved.fp_place + 8;
  if (both)
    instruction->change = is_load ? kRestoreFpAndReturn : kSaveFpAndReturn;
  else if (saved.has_lr)
    instruction->change = is_load ? kRestoreReturn : kSaveReturn;
  else if (saved.has_fp)
    instruction->change = is_load ? kRestoreFp : kSaveFp;
  else
    instruction->change = change == 0 ? kNone : kAdd;
  instruction->place = saved.has_lr && !both ? saved.lr_place : saved.fp_place;
  instruction->value = change;
}

// Loads and stores with sp as their base.
bool ReadMemory(uint32_t code, Instruction* instruction) {
  if (Field(code, 5, 5) != kSp)
    return false;
  const bool is_pair = (code & 0x3a000000) == 0x28000000;
  const bool is_vector = Field(code, 26, 1) != 0;
  const bool is_indexed = (code & 0x3b200000) == 0x38000000;  // single, 9 bits of offset
  const bool is_plain = (code & 0x3b000000) == 0x39000000;    // single, 12 bits
  const bool is_load = Field(code, 22, 1) != 0;
  Saved saved;
  int32_t change = 0;
  int32_t offset = 0;
  uint32_t kind = 2;  // 1: post-index, 3: pre-index, others: no writeback
  if (is_pair) {
    const int scale = is_vector ? 2 + static_cast<int>(code >> 30) : (code >> 31) != 0 ? 3 : 2;
    offset = static_cast<int32_t>(SignedField(code, 15, 7)) * (1 << scale);
    kind = Field(code, 23, 2);
  } else if (is_indexed) {
    offset = static_cast<int32_t>(SignedField(code, 12, 9));
    kind = Field(code, 10, 2);
  } else if (is_plain) {
    offset = static_cast<int32_t>(Field(code, 10, 12)) * (1 << (code >> 30));
  } else {
    return false;
  }
  if (kind == 1 || kind == 3)
    change = offset;
  const int32_t place = kind == 1 || kind == 3 ? 0 : offset;
  const bool is_word = is_pair ? (code >> 30) == 2 : (code >> 30) == 3;
  if (!is_vector && is_word) {
    const uint32_t first = Field(code, 0, 5);
    const uint32_t second = is_pair ? Field(code, 10, 5) : kSp;
    saved.has_fp = first == kFp || second == kFp;
    saved.has_lr = first == kLr || second == kLr;
    saved.fp_place = place + (first == kFp ? 0 : 8);
    saved.lr_place = place + (first == kLr ? 0 : 8);
  }
  SetMemory(is_load, saved, change, instruction);
  return true;
}

// add and sub with sp or the frame pointer, including moves encoded as such.
void ReadArithmetic(uint32_t code, Instruction* instruction) {
  using enum StackChange;
  const uint32_t to = Field(code, 0, 5);
  const uint32_t from = Field(code, 5, 5);
  const bool is_immediate = (code & 0x1f800000) == 0x11000000;
  // In other forms, 31 is the zero register.
  const bool has_sp = is_immediate && (code & 0x20000000) == 0;
  if (to == kFp && (code == 0xd280001d || code == 0xaa1f03fd)) {  // mov x29,#0; mov x29,xzr
    instruction->change = kClearFp;
    return;
  }
  if (is_immediate && (code >> 31) != 0) {
    int32_t value = static_cast<int32_t>(Field(code, 10, 12)) << (Field(code, 22, 1) != 0 ? 12 : 0);
    if (Field(code, 30, 1) != 0)
      value = -value;
    instruction->value = value;
    if (has_sp && to == kSp)
      instruction->change = from == kSp ? kAdd : from == kFp ? kSetSp : kLoseSp;
    else if (to == kFp)
      instruction->change = from == kSp ? kSetFp : kLoseFp;
    return;
  }
  // Extended registers (add sp,sp,x0) and logical immediates (and sp,x0,#-16) can write sp too.
  const bool is_extended = (code & 0x3fe00000) == 0x0b200000;
  const bool is_logic = (code & 0x1f800000) == 0x12000000 && (code & 0x60000000) != 0x60000000;
  if (to == kSp && (is_extended || is_logic))
    instruction->change = kLoseSp;
  const bool is_data = (code & 0x1c000000) == 0x10000000 || (code & 0x0e000000) == 0x0a000000;
  if (to == kFp && is_data)
    instruction->change = kLoseFp;
}

}  // namespace

Instruction DecodeArm64(std::string_view bytes, uint64_t address) {
  Instruction instruction;
  if (bytes.size() < 4)
    return instruction;
  uint32_t code = 0;
  for (size_t i = 0; i < 4; ++i)
    code |= uint32_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
  instruction.length = 4;
  instruction.is_padding = code == 0xd503201f || code == 0;  // nop, and the filler of linkers
  if (!ReadFlow(code, address, &instruction) && !ReadMemory(code, &instruction))
    ReadArithmetic(code, &instruction);
  return instruction;
}

}  // namespace flarestack::record::unwind
