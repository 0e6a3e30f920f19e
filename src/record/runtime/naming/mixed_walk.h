// SPDX-License-Identifier: Apache-2.0
//
// Walks a stack of native code and of languages, in the order in which the frames called each
// other, as the BPF programs do (bpf/walk.h, bpf/walk_language.h): for a thread that is stopped.
//
//   const bpf::unwind_end end = WalkMixed({.registers = registers, .runtime = runtime}, memory,
//   code,
//                                         [&](const MixedFrame& frame) { frames.push_back(frame);
//                                         });
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "record/bpf/layout.h"
#include "record/bpf/runtimes.h"
#include "record/unwind/stack_walk.h"

namespace flarestack::record::runtime {

struct MixedFrame {
  unwind::WalkedFrame native;  // of a Python frame: zeros
  // Frame words of a language, see layout.h. 0: a native frame, or generated code that is unknown.
  uint64_t word = 0;
  uint64_t operand = 0;
};

// The rules of a process. RULE_GENERATED stands for all code that a runtime describes.
class MixedCode : public unwind::RuleSource {
 public:
  // Whether generated code is part of a file.
  virtual bool IsInFile(uint64_t address) = 0;
};

struct MixedThread {
  const bpf::unwind_registers& registers;
  uint64_t thread_pointer = 0;
  const bpf::runtime_process& runtime;
};

// Leaf first. `memory` reads the stack with Read, and everything else with ReadCode. If the native
// frames end too early, the Python frames that are left follow after FRAME_REST. Visits about
// USER_FRAMES_WALKED_MAX frames at most, and returns how unwinding ended.
bpf::unwind_end WalkMixed(const MixedThread& thread, unwind::Memory& memory, MixedCode& code,
                          absl::FunctionRef<void(const MixedFrame&)> visit);

}  // namespace flarestack::record::runtime
