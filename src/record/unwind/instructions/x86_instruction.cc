// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/instructions/instruction.h"

#include <cstddef>

namespace flarestack::record::unwind {
namespace {

constexpr size_t kLengthMax = 15;
constexpr uint8_t kSp = 4;
constexpr uint8_t kFp = 5;

// The parts of an instruction in encoding order.
struct Parts {
  std::string_view bytes;
  size_t at = 0;
  bool is_good = true;

  bool is_16_bit = false;  // operands
  uint8_t rex = 0;
  int map = 0;  // 0: one byte; 1: 0f; 2: 0f 38; 3: 0f 3a, and more
  bool is_vector = false;
  uint8_t opcode = 0;
  bool has_modrm = false;
  uint8_t modrm = 0;
  uint8_t sib = 0;
  int32_t displacement = 0;
  size_t immediate_bytes = 0;
  int64_t immediate = 0;

  uint8_t Next() {
    if (at >= bytes.size() || at >= kLengthMax) {
      is_good = false;
      return 0;
    }
    return static_cast<uint8_t>(bytes[at++]);
  }

  int64_t NextSigned(size_t count) {
    uint64_t value = 0;
    for (size_t i = 0; i < count; ++i)
      value |= uint64_t{Next()} << (8 * i);
    if (count == 0 || count == 8)
      return static_cast<int64_t>(value);
    const size_t shift = 64 - 8 * count;
    return static_cast<int64_t>(value << shift) >> shift;
  }

  bool is_wide() const { return (rex & 8) != 0; }
  bool is_register() const { return modrm >> 6 == 3; }
  uint8_t reg() const { return static_cast<uint8_t>((modrm >> 3 & 7) | ((rex & 4) != 0 ? 8 : 0)); }
  uint8_t rm() const { return static_cast<uint8_t>((modrm & 7) | ((rex & 1) != 0 ? 8 : 0)); }
  // Distinguishes instructions with the same opcode.
  uint8_t group() const { return modrm >> 3 & 7; }
};

bool ReadPrefixes(Parts* parts) {
  for (;;) {
    const uint8_t byte = parts->Next();
    switch (byte) {
      case 0x66:
        parts->is_16_bit = true;
        continue;
      case 0x67:
      case 0xf0:
      case 0xf2:
      case 0xf3:
      case 0x26:
      case 0x2e:
      case 0x36:
      case 0x3e:
      case 0x64:
      case 0x65:
        continue;
      default:
        break;
    }
    parts->opcode = byte;
    if ((byte & 0xf0) == 0x40) {
      parts->rex = byte;
      parts->opcode = parts->Next();
    }
    return parts->is_good;
  }
}

void ReadOpcode(Parts* parts) {
  if (parts->opcode == 0xc5) {
    parts->Next();
    parts->map = 1;
    parts->is_vector = true;
    parts->opcode = parts->Next();
  } else if (parts->opcode == 0xc4 || parts->opcode == 0x62) {
    const bool is_long = parts->opcode == 0x62;
    parts->map = parts->Next() & (is_long ? 7 : 31);
    for (int i = 0; i < (is_long ? 2 : 1); ++i)
      parts->Next();
    parts->is_vector = true;
    parts->opcode = parts->Next();
  } else if (parts->opcode == 0x0f) {
    parts->map = 1;
    parts->opcode = parts->Next();
    if (parts->opcode == 0x38 || parts->opcode == 0x3a) {
      parts->map = parts->opcode == 0x38 ? 2 : 3;
      parts->opcode = parts->Next();
    }
  }
}

bool IsInvalid(uint8_t opcode) {
  switch (opcode) {
    case 0x06:
    case 0x07:
    case 0x0e:
    case 0x16:
    case 0x17:
    case 0x1e:
    case 0x1f:
    case 0x27:
    case 0x2f:
    case 0x37:
    case 0x3f:
    case 0x60:
    case 0x61:
    case 0x82:
    case 0x9a:
    case 0xce:
    case 0xd4:
    case 0xd5:
    case 0xd6:
    case 0xea:
      return true;
    default:
      return false;
  }
}

bool HasModrm(const Parts& parts) {
  const uint8_t opcode = parts.opcode;
  if (parts.map == 0) {
    if (opcode < 0x40)
      return (opcode & 7) < 4;
    return opcode == 0x63 || opcode == 0x69 || opcode == 0x6b ||
           (opcode >= 0x80 && opcode < 0x90) || opcode == 0xc0 || opcode == 0xc1 ||
           opcode == 0xc6 || opcode == 0xc7 || (opcode >= 0xd0 && opcode < 0xd4) ||
           (opcode >= 0xd8 && opcode < 0xe0) || opcode == 0xf6 || opcode == 0xf7 || opcode >= 0xfe;
  }
  if (parts.map != 1)
    return true;
  if (parts.is_vector)
    return opcode != 0x77;
  const bool has_none = (opcode >= 0x05 && opcode <= 0x0b && opcode != 0x0a) || opcode == 0x0e ||
                        (opcode >= 0x30 && opcode <= 0x37) || opcode == 0x77 ||
                        (opcode >= 0x80 && opcode < 0x90) || (opcode >= 0xa0 && opcode <= 0xa2) ||
                        (opcode >= 0xa8 && opcode <= 0xaa) || (opcode >= 0xc8 && opcode <= 0xcf);
  return !has_none;
}

size_t ImmediateBytesOfOneByteMap(const Parts& parts) {
  const uint8_t opcode = parts.opcode;
  const size_t plain = parts.is_16_bit ? 2 : 4;
  if (opcode < 0x40)
    return (opcode & 7) == 4 ? 1 : (opcode & 7) == 5 ? plain : 0;
  if ((opcode >= 0x70 && opcode < 0x80) || (opcode >= 0xb0 && opcode < 0xb8) ||
      (opcode >= 0xe0 && opcode < 0xe8))
    return 1;
  if (opcode >= 0xb8 && opcode < 0xc0)
    return parts.is_wide() ? 8 : plain;
  if (opcode >= 0xa0 && opcode < 0xa4)
    return 8;
  switch (opcode) {
    case 0x6a:
    case 0x6b:
    case 0x80:
    case 0x83:
    case 0xa8:
    case 0xc0:
    case 0xc1:
    case 0xc6:
    case 0xcd:
    case 0xeb:
      return 1;
    case 0xc2:
      return 2;
    case 0xc8:
      return 3;
    case 0x68:
    case 0x69:
    case 0x81:
    case 0xa9:
    case 0xc7:
      return plain;
    case 0xe8:
    case 0xe9:
      return 4;
    case 0xf6:
      return parts.group() < 2 ? 1 : 0;
    case 0xf7:
      return parts.group() < 2 ? plain : 0;
    default:
      return 0;
  }
}

size_t ImmediateBytes(const Parts& parts) {
  const uint8_t opcode = parts.opcode;
  if (parts.map == 0)
    return ImmediateBytesOfOneByteMap(parts);
  if (parts.map == 3)
    return 1;
  if (parts.map != 1)
    return 0;
  if (!parts.is_vector && opcode >= 0x80 && opcode < 0x90)
    return 4;
  const bool is_shift = opcode == 0xa4 || opcode == 0xac || opcode == 0xba;
  return (opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
                 (opcode >= 0xc4 && opcode <= 0xc6) || (is_shift && !parts.is_vector)
             ? 1
             : 0;
}

void ReadOperands(Parts* parts) {
  parts->has_modrm = HasModrm(*parts);
  if (parts->has_modrm) {
    parts->modrm = parts->Next();
    const int mode = parts->modrm >> 6;
    const int low = parts->modrm & 7;
    if (mode != 3) {
      if (low == 4)
        parts->sib = parts->Next();
      const bool has_no_base = mode == 0 && (low == 5 || (low == 4 && (parts->sib & 7) == 5));
      const size_t count = mode == 1 ? 1 : (mode == 2 || has_no_base) ? 4 : 0;
      parts->displacement = static_cast<int32_t>(parts->NextSigned(count));
    }
  }
  parts->immediate_bytes = ImmediateBytes(*parts);
  parts->immediate = parts->NextSigned(parts->immediate_bytes);
}

// Returns whether an instruction of the one-byte map writes the register.
bool WritesRm(const Parts& parts) {
  const uint8_t opcode = parts.opcode;
  if (opcode < 0x38)
    return (opcode & 7) < 2;
  switch (opcode) {
    case 0x81:
    case 0x83:
      return parts.group() != 7;
    case 0x87:
    case 0x89:
    case 0x8f:
    case 0xc1:
    case 0xc7:
    case 0xd1:
    case 0xd3:
      return true;
    case 0xf7:
      return parts.group() == 2 || parts.group() == 3;
    case 0xff:
      return parts.group() < 2;
    default:
      return false;
  }
}

bool WritesReg(const Parts& parts) {
  const uint8_t opcode = parts.opcode;
  if (opcode < 0x38)
    return (opcode & 7) == 2 || (opcode & 7) == 3;
  return opcode == 0x63 || opcode == 0x69 || opcode == 0x6b || opcode == 0x87 || opcode == 0x8b ||
         opcode == 0x8d;
}

void SetChange(StackChange change, int64_t value, Instruction* instruction) {
  const bool fits = value > -(int64_t{1} << 30) && value < (int64_t{1} << 30);
  instruction->change = fits ? change : StackChange::kLoseSp;
  instruction->value = fits ? static_cast<int32_t>(value) : 0;
}

// lea x(%rsp or %rbp),%rsp or %rbp; other addresses make the target unknown.
void ReadLea(const Parts& parts, Instruction* instruction) {
  const uint8_t to = parts.reg();
  const bool is_plain_sib = parts.rm() != kSp || (parts.sib == 0x24 && (parts.rex & 2) == 0);
  const bool has_base = !(parts.modrm >> 6 == 0 && (parts.modrm & 7) == 5);
  const bool from_sp = parts.rm() == kSp && is_plain_sib && has_base;
  const bool from_fp = parts.rm() == kFp && has_base;
  if (to == kSp && from_sp)
    SetChange(StackChange::kAdd, parts.displacement, instruction);
  else if (to == kSp && from_fp)
    SetChange(StackChange::kSetSp, parts.displacement, instruction);
  else if (to == kFp && from_sp)
    SetChange(StackChange::kSetFp, parts.displacement, instruction);
  else
    instruction->change = to == kSp ? StackChange::kLoseSp : StackChange::kLoseFp;
}

// Handles instructions whose target operand is one of the two registers.
void ReadArithmetic(const Parts& parts, uint64_t next, Instruction* instruction) {
  if (parts.opcode == 0x8d && parts.modrm >> 6 == 0 && (parts.modrm & 7) == 5) {
    instruction->is_address = true;  // lea x(%rip)
    instruction->target = next + static_cast<uint64_t>(int64_t{parts.displacement});
  }
  const bool to_rm = parts.is_register() && WritesRm(parts);
  const bool to_reg = WritesReg(parts);
  const bool to_sp = (to_rm && parts.rm() == kSp) || (to_reg && parts.reg() == kSp);
  const bool to_fp = (to_rm && parts.rm() == kFp) || (to_reg && parts.reg() == kFp);
  if (!to_sp && !to_fp)
    return;
  instruction->change = to_sp ? StackChange::kLoseSp : StackChange::kLoseFp;
  const uint8_t opcode = parts.opcode;
  if (opcode == 0x8d) {
    ReadLea(parts, instruction);
    return;
  }
  if ((opcode == 0x31 || opcode == 0x33) && parts.reg() == kFp && parts.rm() == kFp)
    instruction->change = StackChange::kClearFp;
  if (!parts.is_wide())
    return;
  if ((opcode == 0x81 || opcode == 0x83) && to_sp && parts.group() == 0)
    SetChange(StackChange::kAdd, parts.immediate, instruction);
  if ((opcode == 0x81 || opcode == 0x83) && to_sp && parts.group() == 5)
    SetChange(StackChange::kAdd, -parts.immediate, instruction);
  const bool is_move = (opcode == 0x89 || opcode == 0x8b) && parts.is_register();
  const uint8_t from = opcode == 0x89 ? parts.reg() : parts.rm();
  if (is_move && to_fp && from == kSp)
    SetChange(StackChange::kSetFp, 0, instruction);
  if (is_move && to_sp && from == kFp)
    SetChange(StackChange::kSetSp, 0, instruction);
}

// mov %rbp,x(%rsp), in functions that save registers without push.
bool IsStoreOfFp(const Parts& parts) {
  return parts.opcode == 0x89 && parts.is_wide() && !parts.is_register() && parts.reg() == kFp &&
         parts.rm() == kSp && parts.sib == 0x24 && (parts.rex & 2) == 0;
}

void ReadPushOrPop(const Parts& parts, Instruction* instruction) {
  const uint8_t number = static_cast<uint8_t>((parts.opcode & 7) | ((parts.rex & 1) != 0 ? 8 : 0));
  const int64_t bytes = parts.is_16_bit ? 2 : 8;
  if (parts.opcode < 0x58)
    SetChange(number == kFp ? StackChange::kSaveFp : StackChange::kAdd, -bytes, instruction);
  else if (number == kSp)
    instruction->change = StackChange::kLoseSp;
  else
    SetChange(number == kFp ? StackChange::kRestoreFp : StackChange::kAdd, bytes, instruction);
}

void ReadOneByteMap(const Parts& parts, uint64_t next, Instruction* instruction) {
  const uint8_t opcode = parts.opcode;
  if (opcode >= 0x50 && opcode < 0x60) {
    ReadPushOrPop(parts, instruction);
  } else if (opcode == 0x68 || opcode == 0x6a || opcode == 0x9c ||
             (opcode == 0xff && parts.group() == 6)) {
    SetChange(StackChange::kAdd, -8, instruction);
  } else if (opcode == 0x9d || opcode == 0x8f) {
    SetChange(StackChange::kAdd, 8, instruction);
  } else if ((opcode >= 0x70 && opcode < 0x80) || (opcode >= 0xe0 && opcode < 0xe4)) {
    instruction->flow = Flow::kBranch;
  } else if (opcode == 0xe8 || (opcode == 0xff && (parts.group() == 2 || parts.group() == 3))) {
    instruction->flow = Flow::kCall;
  } else if (opcode == 0xe9 || opcode == 0xeb) {
    instruction->flow = Flow::kJump;
  } else if (opcode == 0xff && (parts.group() == 4 || parts.group() == 5)) {
    instruction->flow = Flow::kIndirectJump;
    instruction->is_stub_jump = parts.modrm == 0x25;  // *x(%rip)
  } else if (opcode == 0xc2 || opcode == 0xc3) {
    instruction->flow = Flow::kReturn;
  } else if (opcode == 0xcc || opcode == 0xf4) {
    instruction->flow = Flow::kTrap;
    instruction->is_padding = opcode == 0xcc;
  } else if (opcode == 0xc9) {
    instruction->change = StackChange::kLeave;
  } else if (opcode == 0xc8 || (opcode == 0xbc && (parts.rex & 1) == 0) ||
             (opcode == 0x94 && (parts.rex & 1) == 0)) {
    instruction->change = StackChange::kLoseSp;
  } else if (opcode == 0xbd && (parts.rex & 1) == 0) {
    instruction->change = StackChange::kLoseFp;
  } else if (opcode == 0x90) {
    instruction->is_padding = true;
  } else if (IsStoreOfFp(parts)) {
    instruction->change = StackChange::kSaveFp;
    instruction->place = parts.displacement;
  } else if (parts.has_modrm) {
    ReadArithmetic(parts, next, instruction);
  }
  const bool is_direct =
      opcode == 0xe8 || instruction->flow == Flow::kJump || instruction->flow == Flow::kBranch;
  if (is_direct)
    instruction->target = next + static_cast<uint64_t>(parts.immediate);
}

void ReadTwoByteMap(const Parts& parts, uint64_t next, Instruction* instruction) {
  const uint8_t opcode = parts.opcode;
  if (opcode >= 0x80 && opcode < 0x90) {
    instruction->flow = Flow::kBranch;
    instruction->target = next + static_cast<uint64_t>(parts.immediate);
  } else if (opcode == 0x0b) {
    instruction->flow = Flow::kTrap;
  } else if (opcode == 0x1f) {
    instruction->is_padding = true;
  } else if (opcode == 0xa0 || opcode == 0xa8) {
    SetChange(StackChange::kAdd, -8, instruction);
  } else if (opcode == 0xa1 || opcode == 0xa9) {
    SetChange(StackChange::kAdd, 8, instruction);
  } else if ((opcode >= 0x40 && opcode < 0x50) || opcode == 0xaf || opcode == 0xb6 ||
             opcode == 0xb7 || opcode == 0xbe || opcode == 0xbf) {
    if (parts.reg() == kFp)
      instruction->change = StackChange::kLoseFp;
  }
}

}  // namespace

Instruction DecodeX86(std::string_view bytes, uint64_t address) {
  Parts parts = {.bytes = bytes};
  Instruction instruction;
  if (!ReadPrefixes(&parts))
    return instruction;
  ReadOpcode(&parts);
  if (!parts.is_good || (parts.map == 0 && IsInvalid(parts.opcode)) || parts.map > 6)
    return instruction;
  ReadOperands(&parts);
  if (!parts.is_good)
    return instruction;
  const uint64_t next = address + parts.at;
  if (!parts.is_vector && parts.map == 0)
    ReadOneByteMap(parts, next, &instruction);
  else if (!parts.is_vector && parts.map == 1)
    ReadTwoByteMap(parts, next, &instruction);
  instruction.length = static_cast<uint8_t>(parts.at);
  return instruction;
}

}  // namespace flarestack::record::unwind
