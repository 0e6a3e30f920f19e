// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/cfi/cfi_expression.h"

#include "elf/byte_cursor.h"
#include "record/bpf/layout.h"

namespace flarestack::record::unwind {
namespace {

using elf::ByteCursor;

enum Operation : uint8_t {
  kDeref = 0x06,
  kPlusUconst = 0x23,
  kLit0 = 0x30,
  kLit15 = 0x3f,
  kBreg0 = 0x70,
  kBreg31 = 0x8f,
  kBregx = 0x92,
};

// The form that all linkers write: breg7 (rsp) 8, breg16 (rip) 0, lit15, and, lit<n>, ge, lit3,
// shl, plus. Entries that begin with endbr64 push one byte earlier, so `n` is read.
constexpr std::string_view kPltHead("\x77\x08\x80\x00\x3f\x1a", 6);
constexpr std::string_view kPltTail("\x2a\x33\x24\x22", 4);

std::optional<CfiExpression> RecognisePlt(std::string_view bytes) {
  if (bytes.size() != kPltHead.size() + 1 + kPltTail.size() || !bytes.starts_with(kPltHead) ||
      !bytes.ends_with(kPltTail))
    return std::nullopt;
  const auto literal = static_cast<uint8_t>(bytes[kPltHead.size()]);
  if (literal < kLit0 || literal > kLit15)
    return std::nullopt;
  return CfiExpression{.kind = CfiExpression::Kind::kPlt,
                       .register_number = bpf::X86_REG_RSP,
                       .offset = 8,
                       .added = static_cast<uint64_t>(literal - kLit0)};
}

}  // namespace

std::optional<CfiExpression> RecogniseExpression(std::string_view bytes) {
  if (const auto plt = RecognisePlt(bytes); plt.has_value())
    return plt;
  ByteCursor in(bytes);
  CfiExpression expression;
  const uint8_t base = in.U8();
  if (base >= kBreg0 && base <= kBreg31)
    expression.register_number = base - kBreg0;
  else if (base == kBregx)
    expression.register_number = in.Uleb();
  else
    return std::nullopt;
  expression.offset = in.Sleb();
  if (in.AtEnd())
    return expression;
  if (in.U8() != kDeref)
    return std::nullopt;
  expression.kind = CfiExpression::Kind::kLoaded;
  if (!in.AtEnd()) {
    if (in.U8() != kPlusUconst)
      return std::nullopt;
    expression.added = in.Uleb();
  }
  return in.AtEnd() ? std::optional(expression) : std::nullopt;
}

}  // namespace flarestack::record::unwind
