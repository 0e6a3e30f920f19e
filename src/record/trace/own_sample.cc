// SPDX-License-Identifier: Apache-2.0
#include "record/trace/own_sample.h"

#include <linux/perf_event.h>

#include <array>
#include <bit>
#include <cstring>

namespace flarestack::record::agent {
namespace {

#if defined(__x86_64__)
// DWARF numbers of the kernel's sample registers, in the order they are written: rax, rbx, rcx,
// rdx, rsi, rdi, rbp, rsp, rip, r8 to r15. rip has no DWARF number.
constexpr int kPc = -1;
constexpr std::array<int, 17> kDwarfNumbers = {0, 3, 2,  1,  4,  5,  6,  7, kPc,
                                               8, 9, 10, 11, 12, 13, 14, 15};
#else
// x0 to x30, sp, pc.
constexpr int kPc = -1;
constexpr std::array<int, 33> kDwarfNumbers = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                               11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                               22, 23, 24, 25, 26, 27, 28, 29, 30, 31, kPc};
#endif
static_assert(std::popcount(kOwnSampleRegisters) == static_cast<int>(kDwarfNumbers.size()));

// Removes a value from the front of `bytes`.
template <typename Value>
bool Take(std::string_view* bytes, Value* value) {
  if (bytes->size() < sizeof(Value))
    return false;
  std::memcpy(value, bytes->data(), sizeof(Value));
  bytes->remove_prefix(sizeof(Value));
  return true;
}

bool TakeRegisters(std::string_view* bytes, bpf::unwind_registers* registers) {
  uint64_t abi = 0;
  if (!Take(bytes, &abi))
    return false;
  if (abi == PERF_SAMPLE_REGS_ABI_NONE)
    return true;
  for (const int number : kDwarfNumbers) {
    uint64_t value = 0;
    if (!Take(bytes, &value))
      return false;
    if (number == kPc)
      registers->pc = value;
    else
      registers->regs[number] = value;
  }
  registers->has_all = 1;
  return true;
}

}  // namespace

absl::StatusOr<OwnSample> DecodeOwnSample(std::string_view body) {
  const absl::Status cut = absl::InvalidArgumentError("a sample is truncated");
  OwnSample sample;
  uint32_t reserved = 0;
  uint64_t stack_bytes = 0;
  if (!Take(&body, &sample.event) || !Take(&body, &sample.pid) || !Take(&body, &sample.tid) ||
      !Take(&body, &sample.time_ns) || !Take(&body, &sample.cpu) || !Take(&body, &reserved) ||
      !TakeRegisters(&body, &sample.registers) || !Take(&body, &stack_bytes))
    return cut;
  if (stack_bytes == 0)
    return sample;
  if (body.size() < stack_bytes)
    return cut;
  sample.stack = body.substr(0, stack_bytes);
  body.remove_prefix(stack_bytes);
  // The used part of the stack area.
  uint64_t filled_bytes = 0;
  if (!Take(&body, &filled_bytes))
    return cut;
  sample.stack = sample.stack.substr(0, filled_bytes);
  return sample;
}

}  // namespace flarestack::record::agent
