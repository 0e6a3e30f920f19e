// SPDX-License-Identifier: Apache-2.0
//
// Steps over frames of V8 in user space, as BPF does.
#pragma once

#include <cstdint>
#include <span>

#include "record/bpf/v8_process.h"
#include "record/unwind/stack_walk.h"

namespace flarestack::record::runtime {

struct V8Words {
  uint64_t frame = 0;
  uint64_t operand = 0;
};

// See v8_step of bpf/v8_step.h. Objects are read with memory.ReadCode.
struct V8Step {
  const bpf::v8_process& process;
  unwind::Memory& memory;

  bpf::unwind_end Walk(bpf::unwind_registers* registers, bool is_builtin, V8Words* words) const;
};

// See v8_cookie of bpf/v8_step.h. `shared` has V8_SHARED_BYTES.
uint32_t V8Cookie(const bpf::v8_process& process, std::span<const char> shared);

}  // namespace flarestack::record::runtime
