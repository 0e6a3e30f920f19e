// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/v8/v8_walk.h"

#include <algorithm>
#include <cstring>

#include "record/unwind/step_memory.h"
// After the definitions of how memory is read.
#include "record/bpf/v8_step.h"

namespace flarestack::record::runtime {

bpf::unwind_end V8Step::Walk(bpf::unwind_registers* registers, bool is_builtin,
                             V8Words* words) const {
  alignas(8) uint8_t scratch[bpf::V8_SCRATCH_BYTES];
  uint64_t made[2] = {};
  const int end = bpf::v8_step(&process, registers, &memory, scratch, is_builtin ? 1 : 0, made);
  *words = {.frame = made[0], .operand = made[1]};
  return static_cast<bpf::unwind_end>(end);
}

uint32_t V8Cookie(const bpf::v8_process& process, std::span<const char> shared) {
  alignas(8) uint8_t bytes[bpf::V8_SHARED_BYTES] = {};
  std::memcpy(bytes, shared.data(), std::min(shared.size(), sizeof(bytes)));
  return bpf::v8_cookie(&process, bytes);
}

}  // namespace flarestack::record::runtime
