// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/java/testing/java_stack.h"

#include "record/runtime/naming/mixed_walk.h"
#include "record/unwind/rows/row.h"

namespace flarestack::record::runtime::testing {

namespace {

class JavaAndFiles final : public MixedCode {
 public:
  JavaAndFiles(const bpf::java_process& process, unwind::RuleSource* files)
      : process_(process), files_(*files) {}

  bpf::unwind_rule RuleAt(uint64_t address) override {
    return HasJavaCode(process_, address) ? unwind::RuleOfKind(bpf::RULE_GENERATED)
                                          : files_.RuleAt(address);
  }
  bool IsInFile(uint64_t) override { return false; }

 private:
  const bpf::java_process& process_;
  unwind::RuleSource& files_;
};

}  // namespace

JavaStack WalkJavaStack(const bpf::java_process& process, const bpf::unwind_registers& registers,
                        unwind::Memory& memory, unwind::RuleSource& rules) {
  bpf::runtime_process runtime = {};
  runtime.kinds = bpf::RUNTIME_JAVA;
  runtime.java = process;
  JavaAndFiles code(process, &rules);
  JavaStack stack;
  const auto add = [&](const runtime::MixedFrame& frame) {
    stack.frames.push_back({.is_java = HasJavaCode(process, frame.native.pc),
                            .pc = frame.native.pc,
                            .words = {frame.word, frame.operand}});
  };
  stack.end = WalkMixed({.registers = registers, .runtime = runtime}, memory, code, add);
  return stack;
}

}  // namespace flarestack::record::runtime::testing
