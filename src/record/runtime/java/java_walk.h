// SPDX-License-Identifier: Apache-2.0
//
// java_step.h in user space: for stacks that BPF could not walk to their end.
#pragma once

#include <array>
#include <cstdint>

#include "record/bpf/java_process.h"
#include "record/unwind/stack_walk.h"

namespace flarestack::record::runtime {

using JavaWords = std::array<uint64_t, 2>;  // see bpf/java_process.h

bool HasJavaCode(const bpf::java_process& process, uint64_t pc);

// Moves from a frame in generated code to its caller. `memory` provides the stack with Read and
// everything else with ReadCode. Returns UNWIND_MORE if there is a caller. The words are zeros if
// the frame is unknown.
bpf::unwind_end StepJava(const bpf::java_process& process, unwind::Memory& memory,
                         bpf::unwind_registers* registers, JavaWords* words);

}  // namespace flarestack::record::runtime
