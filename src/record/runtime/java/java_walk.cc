// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/java/java_walk.h"

#include "record/unwind/step_memory.h"
// Needs the macros above.
#include "record/bpf/java_step.h"

namespace flarestack::record::runtime {

bool HasJavaCode(const bpf::java_process& process, uint64_t pc) {
  return bpf::java_has_code(&process, pc) != 0;
}

bpf::unwind_end StepJava(const bpf::java_process& process, unwind::Memory& memory,
                         bpf::unwind_registers* registers, JavaWords* words) {
  std::array<bpf::u64, bpf::JAVA_SCRATCH_WORDS> scratch = {};
  return static_cast<bpf::unwind_end>(
      bpf::java_step(&process, registers, &memory, scratch.data(), words->data()));
}

}  // namespace flarestack::record::runtime
