// SPDX-License-Identifier: Apache-2.0
//
// Walks the mixed stack of a stopped thread: native frames with their files' rules, generated code
// with java_step.h.
#pragma once

#include <cstdint>
#include <vector>

#include "record/runtime/java/java_process.h"
#include "record/runtime/java/java_walk.h"
#include "record/runtime/java/testing/other_process.h"

namespace flarestack::record::runtime::testing {

struct JavaStackFrame {
  bool is_java = false;
  uint64_t pc = 0;
  JavaWords words = {};  // if is_java
};

struct JavaStack {
  std::vector<JavaStackFrame> frames;  // leaf first
  bpf::unwind_end end = bpf::UNWIND_MORE;
};

JavaStack WalkJavaStack(const bpf::java_process& process, const bpf::unwind_registers& registers,
                        unwind::Memory& memory, unwind::RuleSource& rules);

}  // namespace flarestack::record::runtime::testing
