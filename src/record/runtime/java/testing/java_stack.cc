// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/java/testing/java_stack.h"

namespace flarestack::record::runtime::testing {

JavaStack WalkJavaStack(const bpf::java_process& process, const bpf::unwind_registers& registers,
                        unwind::Memory& memory, unwind::RuleSource& rules) {
  JavaStack stack;
  bpf::unwind_registers at = registers;
  while (stack.end == bpf::UNWIND_MORE && stack.frames.size() < bpf::USER_FRAMES_WALKED_MAX) {
    JavaStackFrame& frame = stack.frames.emplace_back();
    frame.pc = at.pc;
    frame.is_java = HasJavaCode(process, at.pc);
    if (frame.is_java) {
      stack.end = StepJava(process, memory, &at, &frame.words);
    } else {
      unwind::StackWalk walk(at, memory, rules);
      stack.end = walk.Step();
      at = walk.registers();
    }
  }
  return stack;
}

}  // namespace flarestack::record::runtime::testing
