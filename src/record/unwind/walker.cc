// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/walker.h"

#include <cstring>

namespace flarestack::record::unwind {
namespace {

int ReadMemory(void* memory, void* target, size_t size, uint64_t address) {
  const std::span<std::byte> bytes(static_cast<std::byte*>(target), size);
  return static_cast<Memory*>(memory)->Read(address, bytes) ? 0 : -1;
}

}  // namespace
}  // namespace flarestack::record::unwind

#define UNWIND_READ(memory, target, size, address) \
  ::flarestack::record::unwind::ReadMemory(memory, target, size, address)
#include "record/bpf/unwind_step.h"

namespace flarestack::record::unwind {

bool CopiedStack::Read(uint64_t address, std::span<std::byte> target) {
  if (address < begin_ || address - begin_ > bytes_.size() ||
      target.size() > bytes_.size() - (address - begin_))
    return false;
  if (!target.empty())
    std::memcpy(target.data(), bytes_.data() + (address - begin_), target.size());
  return true;
}

bpf::unwind_end StackWalk::Step() {
  const bpf::unwind_rule rule =
      rules_.RuleAt(registers_.pc - (registers_.is_return_address != 0 ? 1 : 0));
  is_guessed_ = rule.kind == bpf::RULE_NONE;
  bpf::u64 saved[bpf::REGISTER_COUNT + 1];
  const int end = is_guessed_ ? bpf::unwind_by_frame_pointer(&registers_, &memory_)
                              : bpf::unwind_step(&registers_, &rule, &memory_, saved);
  return static_cast<bpf::unwind_end>(end);
}

}  // namespace flarestack::record::unwind
