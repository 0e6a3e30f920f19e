// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/cfi/cfi_program.h"

#include <limits>

#include "elf/frames/eh_pointer.h"
#include "record/unwind/cfi/cfi_expression.h"

namespace flarestack::record::unwind {
namespace {

using elf::ByteCursor;
using Kind = RegisterPlace::Kind;
using CfaKind = CfiState::CfaKind;

// The first three encode their operand in the low six bits.
enum Opcode : uint8_t {
  kAdvanceLoc = 0x40,
  kOffset = 0x80,
  kRestore = 0xc0,
  kNop = 0x00,
  kSetLoc = 0x01,
  kAdvanceLoc1 = 0x02,
  kAdvanceLoc2 = 0x03,
  kAdvanceLoc4 = 0x04,
  kOffsetExtended = 0x05,
  kRestoreExtended = 0x06,
  kUndefined = 0x07,
  kSameValue = 0x08,
  kRegister = 0x09,
  kRememberState = 0x0a,
  kRestoreState = 0x0b,
  kDefCfa = 0x0c,
  kDefCfaRegister = 0x0d,
  kDefCfaOffset = 0x0e,
  kDefCfaExpression = 0x0f,
  kExpression = 0x10,
  kOffsetExtendedSf = 0x11,
  kDefCfaSf = 0x12,
  kDefCfaOffsetSf = 0x13,
  kValOffset = 0x14,
  kValOffsetSf = 0x15,
  kValExpression = 0x16,
  kArm64NegateRaStateWithPc = 0x2c,
  kArm64NegateRaState = 0x2d,
  kGnuArgsSize = 0x2e,
  kGnuNegativeOffsetExtended = 0x2f,
};

constexpr uint8_t kOperandMask = 0x3f;
// No rule can represent it, so an overflowing product ends up as unsupported.
constexpr int64_t kTooLarge = std::numeric_limits<int64_t>::max();

int64_t Scaled(int64_t factored, int64_t alignment) {
  int64_t product = 0;
  return __builtin_mul_overflow(factored, alignment, &product) ? kTooLarge : product;
}

// Converts a ULEB128 value; more than 63 bits is not a valid offset.
int64_t AsSigned(uint64_t value) {
  return value > static_cast<uint64_t>(kTooLarge) ? kTooLarge : static_cast<int64_t>(value);
}

}  // namespace

struct CfiProgram::Location {
  const elf::Fde& fde;
  RowBuilder* builder;
  uint64_t address = 0;
};

CfiProgram::CfiProgram(Machine machine, uint64_t table_address, CfiBudget* budget)
    : machine_(machine),
      registers_(RegistersOf(machine)),
      table_address_(table_address),
      budget_(budget) {}

// Computes the initial rules of a CIE once for all its functions.
bool CfiProgram::LoadCie(const elf::Cie& cie) {
  cie_ = &cie;
  if (cie.offset == cie_offset_)
    return is_cie_good_;
  cie_offset_ = cie.offset;
  state_ = CfiState();
  if (machine_ == Machine::kX86_64)
    state_.return_address.kind = Kind::kUnsupported;  // every CIE defines it
  remembered_count_ = 0;
  initial_ = state_;
  is_cie_good_ = cie.return_register == registers_.return_address &&
                 Execute(ByteCursor(cie.instructions), nullptr);
  initial_ = state_;
  return is_cie_good_;
}

void CfiProgram::Run(const elf::Fde& fde, RowBuilder* builder) {
  Location location = {.fde = fde, .builder = builder, .address = fde.begin};
  bool is_good = LoadCie(*fde.cie);
  if (fde.cie->is_signal_frame) {
    builder->Begin(fde.begin, RuleOfKind(bpf::RULE_SIGNAL));
    return;
  }
  state_ = initial_;
  remembered_count_ = 0;
  if (is_good) {
    is_good = Execute(ByteCursor(fde.instructions), &location);
    if (is_good)
      EmitRow(location);
  }
  if (is_good)
    return;
  ++(budget_->steps == 0 ? budget_->counts.exhausted_count : budget_->counts.damaged_count);
  builder->Begin(location.address, RuleOfKind(bpf::RULE_NONE));
}

bool CfiProgram::Execute(ByteCursor in, Location* location) {
  while (!in.AtEnd()) {
    if (budget_->steps == 0)
      return false;
    --budget_->steps;
    const uint8_t opcode = in.U8();
    if (!Step(opcode, in, location) || !in.ok())
      return false;
    // Addresses after the span are not needed, and those after the function are not described.
    if (location != nullptr && (location->address >= location->fde.end ||
                                location->address >= location->builder->span().end))
      return true;
  }
  return true;
}

bool CfiProgram::Step(uint8_t opcode, ByteCursor& in, Location* location) {
  const uint8_t operand = opcode & kOperandMask;
  switch (opcode & ~kOperandMask) {
    case kAdvanceLoc:
      return Advance(operand, location);
    case kOffset:
      SetOffset(operand, AsSigned(in.Uleb()));
      return true;
    case kRestore:
      Restore(operand);
      return true;
    default:
      break;
  }
  switch (opcode) {
    case kNop:
      return true;
    case kSetLoc:
      return SetLocation(in, location);
    case kAdvanceLoc1:
      return Advance(in.U8(), location);
    case kAdvanceLoc2:
      return Advance(in.U16(), location);
    case kAdvanceLoc4:
      return Advance(in.U32(), location);
    case kRememberState:
    case kRestoreState:
      return StepState(opcode);
    case kDefCfa:
    case kDefCfaRegister:
    case kDefCfaOffset:
    case kDefCfaExpression:
    case kDefCfaSf:
    case kDefCfaOffsetSf:
      return StepCfa(opcode, in);
    case kArm64NegateRaState:
    case kArm64NegateRaStateWithPc:
      // Signatures are removed from every return address, so the signing state does not matter.
      return machine_ == Machine::kArm64;
    case kGnuArgsSize:
      in.Uleb();
      return true;
    default:
      return StepExtended(opcode, in);
  }
}

bool CfiProgram::StepState(uint8_t opcode) {
  if (opcode == kRememberState) {
    if (remembered_count_ == kRememberedMax)
      return false;
    remembered_[remembered_count_++] = state_;
    return true;
  }
  if (remembered_count_ == 0)
    return false;
  state_ = remembered_[--remembered_count_];
  return true;
}

bool CfiProgram::StepCfa(uint8_t opcode, ByteCursor& in) {
  if (opcode == kDefCfaExpression)
    return SetCfaExpression(in);
  // A register or an offset alone only modifies a CFA of the form register + offset.
  if (opcode == kDefCfa || opcode == kDefCfaSf)
    state_.cfa_kind = CfaKind::kRegister;
  else if (state_.cfa_kind != CfaKind::kRegister)
    state_.cfa_kind = CfaKind::kUnsupported;
  if (opcode == kDefCfa || opcode == kDefCfaSf || opcode == kDefCfaRegister)
    state_.cfa_register = in.Uleb();
  if (opcode == kDefCfa || opcode == kDefCfaOffset)
    state_.cfa_offset = AsSigned(in.Uleb());
  if (opcode == kDefCfaSf || opcode == kDefCfaOffsetSf)
    state_.cfa_offset = Scaled(in.Sleb(), cie_->data_alignment);
  return true;
}

bool CfiProgram::StepExtended(uint8_t opcode, ByteCursor& in) {
  const uint64_t number = in.Uleb();
  switch (opcode) {
    case kOffsetExtended:
      SetOffset(number, AsSigned(in.Uleb()));
      return true;
    case kOffsetExtendedSf:
      SetOffset(number, in.Sleb());
      return true;
    case kGnuNegativeOffsetExtended:
      SetOffset(number, -AsSigned(in.Uleb()));
      return true;
    case kRestoreExtended:
      Restore(number);
      return true;
    case kUndefined:
      SetPlace(number, {.kind = Kind::kUndefined});
      return true;
    case kSameValue:
      SetPlace(number, {.kind = Kind::kSame});
      return true;
    case kRegister:
      SetPlace(number, {.kind = Kind::kInRegister, .value = AsSigned(in.Uleb())});
      return true;
    case kExpression:
      SetPlace(number, PlaceByExpression(in.Take(in.Uleb())));
      return true;
    case kValOffset:
    case kValOffsetSf: {
      const int64_t offset = opcode == kValOffset ? AsSigned(in.Uleb()) : in.Sleb();
      // The caller's stack pointer is the CFA; some compilers state this explicitly.
      const bool is_plain = number == registers_.stack_pointer && offset == 0;
      SetPlace(number, {.kind = is_plain ? Kind::kSame : Kind::kUnsupported});
      return true;
    }
    case kValExpression:
      in.Take(in.Uleb());
      SetPlace(number, {.kind = Kind::kUnsupported});
      return true;
    default:
      return false;
  }
}

bool CfiProgram::Advance(uint64_t count, Location* location) {
  if (location == nullptr)
    return false;
  uint64_t bytes = 0;
  uint64_t address = 0;
  if (__builtin_mul_overflow(count, cie_->code_alignment, &bytes) ||
      __builtin_add_overflow(location->address, bytes, &address))
    return false;
  if (bytes != 0)
    EmitRow(*location);
  location->address = address;
  return true;
}

bool CfiProgram::SetLocation(ByteCursor& in, Location* location) {
  if (location == nullptr)
    return false;
  const elf::PointerBases bases = {.cursor_address =
                                       table_address_ + location->fde.instructions_offset};
  const auto address = ReadPointer(cie_->pointer_encoding, bases, in);
  if (!address.has_value() || *address < location->address)
    return false;
  EmitRow(*location);
  location->address = *address;
  return true;
}

void CfiProgram::EmitRow(const Location& location) {
  if (location.address >= location.fde.end)
    return;
  const auto rule = ToRule(state_, machine_);
  if (!rule.has_value())
    ++budget_->counts.unsupported_count;
  location.builder->Begin(location.address, rule.value_or(RuleOfKind(bpf::RULE_NONE)));
}

void CfiProgram::SetPlace(uint64_t register_number, const RegisterPlace& place) {
  if (register_number == registers_.frame_pointer)
    state_.frame_pointer = place;
  else if (register_number == registers_.return_address)
    state_.return_address = place;
  else if (register_number == registers_.stack_pointer)
    state_.is_stack_pointer_odd = place.kind != Kind::kSame;
}

void CfiProgram::SetOffset(uint64_t register_number, int64_t factored) {
  SetPlace(register_number,
           {.kind = Kind::kOffset, .value = Scaled(factored, cie_->data_alignment)});
}

void CfiProgram::Restore(uint64_t register_number) {
  if (register_number == registers_.frame_pointer)
    state_.frame_pointer = initial_.frame_pointer;
  else if (register_number == registers_.return_address)
    state_.return_address = initial_.return_address;
  else if (register_number == registers_.stack_pointer)
    state_.is_stack_pointer_odd = initial_.is_stack_pointer_odd;
}

// In functions that realign the stack, gcc gives the saved frame pointer relative to the new one,
// because the distance to the CFA is unknown.
RegisterPlace CfiProgram::PlaceByExpression(std::string_view expression) const {
  const auto found = RecogniseExpression(expression);
  if (!found.has_value() || found->kind != CfiExpression::Kind::kRegister ||
      found->register_number != registers_.frame_pointer)
    return {.kind = Kind::kUnsupported};
  return {.kind = Kind::kAtFramePointer, .value = found->offset};
}

bool CfiProgram::SetCfaExpression(ByteCursor& in) {
  const auto found = RecogniseExpression(in.Take(in.Uleb()));
  state_.cfa_kind = CfaKind::kUnsupported;
  if (!found.has_value())
    return true;
  state_.cfa_register = found->register_number;
  state_.cfa_offset = found->offset;
  state_.cfa_added = found->added;
  switch (found->kind) {
    case CfiExpression::Kind::kRegister:
      state_.cfa_kind = CfaKind::kRegister;
      break;
    case CfiExpression::Kind::kLoaded:
      state_.cfa_kind = CfaKind::kLoaded;
      break;
    case CfiExpression::Kind::kPlt:
      if (machine_ == Machine::kX86_64)
        state_.cfa_kind = CfaKind::kPlt;
      break;
  }
  return true;
}

}  // namespace flarestack::record::unwind
