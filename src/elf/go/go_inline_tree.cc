// SPDX-License-Identifier: Apache-2.0
#include "elf/go/go_inline_tree.h"

#include "elf/byte_cursor.h"

namespace flarestack::elf {
namespace {

constexpr uint64_t kCallBytes116 = 20;  // parent, kind, file, line, name, parent address
constexpr uint64_t kCallBytes120 = 16;  // kind, name, parent address, start line

}  // namespace

std::optional<GoInlinedCall> GoInlineTree::Call(int64_t index) const {
  if (index < 0 || version_ == GoTableVersion::kGo12)
    return std::nullopt;
  const bool has_start_line = version_ == GoTableVersion::kGo120;
  const uint64_t call_bytes = has_start_line ? kCallBytes120 : kCallBytes116;
  ByteCursor in(bytes_, static_cast<uint64_t>(index) * call_bytes);
  in.Take(has_start_line ? 4 : 12);
  GoInlinedCall call;
  call.name_offset = in.U32();
  call.parent_offset = in.U32();
  if (has_start_line)
    call.start_line = in.U32();
  return in.ok() ? std::optional(call) : std::nullopt;
}

}  // namespace flarestack::elf
