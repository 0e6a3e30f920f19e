// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/stack_walk.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "record/unwind/step_memory.h"

namespace flarestack::record::unwind {

bool CopiedStack::Read(uint64_t address, std::span<std::byte> target) {
  if (address < begin_ || address - begin_ > bytes_.size() ||
      target.size() > bytes_.size() - (address - begin_))
    return false;
  if (!target.empty())
    std::memcpy(target.data(), bytes_.data() + (address - begin_), target.size());
  return true;
}

bool StackPieces::Read(uint64_t address, std::span<std::byte> target) {
  while (!target.empty()) {
    const uint64_t inside = address - begin_;
    const uint64_t piece = inside / bpf::STACK_PIECE_BYTES;
    if (address < begin_ || piece >= bpf::STACK_PIECES_MAX || (pieces_ >> piece & 1) == 0)
      return false;
    const auto before =
        static_cast<uint64_t>(std::popcount(pieces_ & ((uint64_t{1} << piece) - 1)));
    const uint64_t offset = inside % bpf::STACK_PIECE_BYTES;
    const uint64_t at = before * bpf::STACK_PIECE_BYTES + offset;
    const size_t count = std::min<size_t>(target.size(), bpf::STACK_PIECE_BYTES - offset);
    if (at > bytes_.size() || count > bytes_.size() - at)
      return false;
    std::memcpy(target.data(), bytes_.data() + at, count);
    target = target.subspan(count);
    address += count;
  }
  return true;
}

void StackWalk::FindRule() {
  const bool is_return_address = registers_.is_return_address != 0;
  rule_ = rules_.RuleAt(registers_.pc - (is_return_address ? 1 : 0));
  is_after_call_ = is_return_address && bpf::unwind_is_never_called(&rule_) == 0;
}

bpf::unwind_end StackWalk::Step() {
  // Only BPF has what describes generated code.
  const bool has_rule = rule_.kind != bpf::RULE_NONE && rule_.kind != bpf::RULE_GENERATED;
  is_guessed_ = !has_rule || (rule_.flags & bpf::RULE_FROM_CODE) != 0;
  bpf::u64 saved[bpf::REGISTER_COUNT + 1];
  const int end = has_rule ? bpf::unwind_step(&registers_, &rule_, &memory_, saved)
                           : bpf::unwind_guess(&registers_, &memory_);
  if (end == bpf::UNWIND_MORE)
    FindRule();
  return static_cast<bpf::unwind_end>(end);
}

}  // namespace flarestack::record::unwind
