// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/testing/reference_cfi.h"

#include <algorithm>
#include <utility>

#include "elf/byte_cursor.h"

namespace flarestack::record::unwind::testing {
namespace {

using elf::ByteCursor;
using Kind = ReferenceRule::Kind;

class StackMachine {
 public:
  StackMachine(const ReferenceMachine& machine, std::vector<uint64_t> stack)
      : machine_(machine), stack_(std::move(stack)) {}

  std::optional<uint64_t> Run(std::string_view expression) {
    ByteCursor in(expression);
    while (!in.AtEnd()) {
      if (!Step(in.U8(), in) || !in.ok())
        return std::nullopt;
    }
    return stack_.empty() ? std::nullopt : std::optional(stack_.back());
  }

 private:
  uint64_t ValueOf(uint64_t number) const {
    return number == machine_.pc_register ? machine_.pc : machine_.register_value(number);
  }
  uint64_t Pop() {
    if (stack_.empty())
      return 0;
    const uint64_t value = stack_.back();
    stack_.pop_back();
    return value;
  }
  bool Push(uint64_t value) {
    stack_.push_back(value);
    return true;
  }

  bool Step(uint8_t operation, ByteCursor& in) {
    if (operation >= 0x30 && operation <= 0x4f)
      return Push(operation - 0x30u);
    if (operation >= 0x70 && operation <= 0x8f) {
      const uint64_t base = ValueOf(operation - 0x70u);
      return Push(base + static_cast<uint64_t>(in.Sleb()));
    }
    switch (operation) {
      case 0x06:
        return Push(machine_.load(Pop()));
      case 0x08:
        return Push(in.U8());
      case 0x09:
        return Push(static_cast<uint64_t>(int64_t{in.Number<int8_t>()}));
      case 0x0a:
        return Push(in.U16());
      case 0x0b:
        return Push(static_cast<uint64_t>(int64_t{in.Number<int16_t>()}));
      case 0x12: {
        const uint64_t top = Pop();
        return Push(top) && Push(top);
      }
      case 0x23:
        return Push(Pop() + in.Uleb());
      case 0x92: {
        const uint64_t base = ValueOf(in.Uleb());
        return Push(base + static_cast<uint64_t>(in.Sleb()));
      }
      default:
        return Binary(operation);
    }
  }

  bool Binary(uint8_t operation) {
    const uint64_t b = Pop();
    const uint64_t a = Pop();
    switch (operation) {
      case 0x1a:
        return Push(a & b);
      case 0x1c:
        return Push(a - b);
      case 0x1e:
        return Push(a * b);
      case 0x22:
        return Push(a + b);
      case 0x24:
        return Push(b < 64 ? a << b : 0);
      case 0x2a:
        return Push(static_cast<int64_t>(a) >= static_cast<int64_t>(b) ? 1 : 0);
      default:
        return false;
    }
  }

  const ReferenceMachine& machine_;
  std::vector<uint64_t> stack_;
};

class Interpreter {
 public:
  explicit Interpreter(const elf::Fde& fde) : fde_(fde) {}

  std::optional<std::vector<ReferenceRow>> Run() {
    row_.begin = fde_.begin;
    if (!Execute(fde_.cie->instructions))
      return std::nullopt;
    initial_ = row_.registers;
    if (!Execute(fde_.instructions))
      return std::nullopt;
    MoveTo(fde_.end);
    return std::move(rows_);
  }

 private:
  void MoveTo(uint64_t address) {
    row_.end = std::min(address, fde_.end);
    if (row_.begin < row_.end)
      rows_.push_back(row_);
    row_.begin = address;
  }
  void Advance(uint64_t count) { MoveTo(row_.begin + count * fde_.cie->code_alignment); }
  int64_t Scaled(int64_t value) const { return value * fde_.cie->data_alignment; }
  int64_t UnsignedScaled(ByteCursor& in) const { return Scaled(static_cast<int64_t>(in.Uleb())); }
  void Restore(uint64_t number) {
    row_.registers.erase(number);
    if (const auto found = initial_.find(number); found != initial_.end())
      row_.registers.insert(*found);
  }

  bool Execute(std::string_view instructions) {
    ByteCursor in(instructions);
    while (!in.AtEnd()) {
      const uint8_t opcode = in.U8();
      const uint8_t low = opcode & 0x3f;
      if (opcode >> 6 == 1)
        Advance(low);
      else if (opcode >> 6 == 2)
        row_.registers[low] = {.kind = Kind::kOffset, .number = UnsignedScaled(in)};
      else if (opcode >> 6 == 3)
        Restore(low);
      else if (!Small(opcode, in) && !Cfa(opcode, in) && !Register(opcode, in))
        return false;
      if (!in.ok())
        return false;
    }
    return true;
  }

  bool Small(uint8_t opcode, ByteCursor& in) {
    switch (opcode) {
      case 0x00:
        return true;
      case 0x02:
        Advance(in.U8());
        return true;
      case 0x03:
        Advance(in.U16());
        return true;
      case 0x04:
        Advance(in.U32());
        return true;
      case 0x0a:
        remembered_.push_back(row_);
        return true;
      case 0x0b: {
        if (remembered_.empty())
          return false;
        const uint64_t begin = row_.begin;
        row_ = remembered_.back();
        row_.begin = begin;
        remembered_.pop_back();
        return true;
      }
      case 0x2d:
        return fde_.cie->return_register == 30;
      case 0x2e:
        in.Uleb();
        return true;
      default:
        return false;
    }
  }

  bool Cfa(uint8_t opcode, ByteCursor& in) {
    if (opcode < 0x0c || (opcode > 0x0f && opcode != 0x12 && opcode != 0x13))
      return false;
    if (opcode == 0x0f) {
      row_.cfa_expression = in.Take(in.Uleb());
      return true;
    }
    row_.cfa_expression.reset();
    if (opcode == 0x0c || opcode == 0x0d || opcode == 0x12)
      row_.cfa_register = in.Uleb();
    if (opcode == 0x0c || opcode == 0x0e)
      row_.cfa_offset = static_cast<int64_t>(in.Uleb());
    if (opcode == 0x12 || opcode == 0x13)
      row_.cfa_offset = Scaled(in.Sleb());
    return true;
  }

  bool Register(uint8_t opcode, ByteCursor& in) {
    const uint64_t number = in.Uleb();
    ReferenceRule rule;
    switch (opcode) {
      case 0x05:
        rule = {.kind = Kind::kOffset, .number = UnsignedScaled(in)};
        break;
      case 0x06:
        Restore(number);
        return true;
      case 0x07:
        rule.kind = Kind::kUndefined;
        break;
      case 0x08:
        rule.kind = Kind::kSame;
        break;
      case 0x09:
        rule = {.kind = Kind::kRegister, .number = static_cast<int64_t>(in.Uleb())};
        break;
      case 0x10:
        rule = {.kind = Kind::kExpression, .expression = in.Take(in.Uleb())};
        break;
      case 0x11:
        rule = {.kind = Kind::kOffset, .number = Scaled(in.Sleb())};
        break;
      case 0x14:
        rule = {.kind = Kind::kValOffset, .number = UnsignedScaled(in)};
        break;
      case 0x15:
        rule = {.kind = Kind::kValOffset, .number = Scaled(in.Sleb())};
        break;
      case 0x16:
        rule = {.kind = Kind::kValExpression, .expression = in.Take(in.Uleb())};
        break;
      case 0x2f:
        rule = {.kind = Kind::kOffset, .number = -UnsignedScaled(in)};
        break;
      default:
        return false;
    }
    row_.registers[number] = rule;
    return true;
  }

  const elf::Fde& fde_;
  ReferenceRow row_;
  std::map<uint64_t, ReferenceRule> initial_;
  std::vector<ReferenceRow> remembered_;
  std::vector<ReferenceRow> rows_;
};

}  // namespace

std::optional<uint64_t> ReferenceRow::Cfa(const ReferenceMachine& machine) const {
  if (cfa_expression.has_value())
    return StackMachine(machine, {}).Run(*cfa_expression);
  return machine.register_value(cfa_register) + static_cast<uint64_t>(cfa_offset);
}

std::optional<uint64_t> ReferenceRow::Register(uint64_t number,
                                               const ReferenceMachine& machine) const {
  const auto found = registers.find(number);
  const ReferenceRule rule = found == registers.end() ? ReferenceRule() : found->second;
  const auto cfa = Cfa(machine);
  if (!cfa.has_value())
    return std::nullopt;
  const uint64_t at_offset = *cfa + static_cast<uint64_t>(rule.number);
  switch (rule.kind) {
    case Kind::kSame:
      return machine.register_value(number);
    case Kind::kUndefined:
      return std::nullopt;
    case Kind::kOffset:
      return machine.load(at_offset);
    case Kind::kValOffset:
      return at_offset;
    case Kind::kRegister:
      return machine.register_value(static_cast<uint64_t>(rule.number));
    case Kind::kExpression: {
      const auto address = StackMachine(machine, {*cfa}).Run(rule.expression);
      return address ? std::optional(machine.load(*address)) : std::nullopt;
    }
    case Kind::kValExpression:
      return StackMachine(machine, {*cfa}).Run(rule.expression);
  }
  return std::nullopt;
}

std::optional<std::vector<ReferenceRow>> ReferenceRows(const elf::Fde& fde) {
  return Interpreter(fde).Run();
}

}  // namespace flarestack::record::unwind::testing
