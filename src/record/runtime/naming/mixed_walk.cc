// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/naming/mixed_walk.h"

#include <optional>
#include <span>

#include "record/process/proc/process_memory.h"
#include "record/runtime/java/java_walk.h"
#include "record/runtime/python/python_walk.h"
#include "record/runtime/v8/v8_walk.h"

namespace flarestack::record::runtime {
namespace {

class OneRule final : public unwind::RuleSource {
 public:
  explicit OneRule(const bpf::unwind_rule& rule) : rule_(rule) {}
  bpf::unwind_rule RuleAt(uint64_t) override { return rule_; }

 private:
  bpf::unwind_rule rule_;
};

class MixedWalk {
 public:
  MixedWalk(const MixedThread& thread, unwind::Memory& memory, MixedCode& code,
            agent::MemoryReader read, absl::FunctionRef<void(const MixedFrame&)> visit)
      : thread_(thread),
        memory_(memory),
        code_(code),
        visit_(visit),
        registers_(thread.registers),
        python_(thread.runtime.python, read) {}

  bpf::unwind_end Run() {
    for (;;) {
      const uint64_t lookup = registers_.pc - registers_.is_return_address;
      const bpf::unwind_rule rule = code_.RuleAt(lookup);
      const bpf::unwind_end end = rule.kind == bpf::RULE_GENERATED
                                      ? WalkGenerated(code_.IsInFile(lookup))
                                      : WalkNative(rule);
      if ((rule.flags & bpf::RULE_INTERPRETER) != 0)
        WalkPython(/*is_rest=*/false);
      // Nothing leads from here to the callers, but the interpreter knows its own frames.
      if (end != bpf::UNWIND_MORE && end != bpf::UNWIND_COMPLETE)
        WalkPython(/*is_rest=*/true);
      if (end != bpf::UNWIND_MORE)
        return end;
      if (word_count_ >= bpf::USER_FRAMES_WALKED_MAX)
        return bpf::UNWIND_TOO_DEEP;
    }
  }

 private:
  enum class Language { kUnknown, kNone, kReady };

  void Visit(const MixedFrame& frame) {
    word_count_ += frame.operand == 0 ? 1 : 2;
    visit_(frame);
  }

  bpf::unwind_end WalkNative(const bpf::unwind_rule& rule) {
    OneRule rules(rule);
    unwind::StackWalk step(registers_, memory_, rules);
    unwind::WalkedFrame frame = step.frame();
    frame.is_guessed = is_guessed_;
    Visit({.native = frame});
    const bpf::unwind_end end = step.Step();
    registers_ = step.registers();
    is_guessed_ = step.frame().is_guessed;
    return end;
  }

  bpf::unwind_end WalkGenerated(bool is_in_file) {
    const bpf::runtime_process& runtime = thread_.runtime;
    MixedFrame frame = {.native = {.pc = registers_.pc,
                                   .is_return_address = registers_.is_return_address != 0,
                                   .is_guessed = is_guessed_}};
    bpf::unwind_end end = bpf::UNWIND_NO_RULE;
    if ((runtime.kinds & bpf::RUNTIME_JAVA) != 0 && HasJavaCode(runtime.java, registers_.pc)) {
      JavaWords words = {};
      end = StepJava(runtime.java, memory_, &registers_, &words);
      frame.word = words[0];
      frame.operand = words[1];
    } else if ((runtime.kinds & bpf::RUNTIME_V8) != 0) {
      V8Words words;
      const V8Step step = {.process = runtime.v8, .memory = memory_};
      end = step.Walk(&registers_, is_in_file, &words);
      frame.word = words.frame;
      frame.operand = words.operand;
    } else {
      return WalkNative(bpf::unwind_rule{});  // guesses
    }
    is_guessed_ = false;
    Visit(frame);
    return end;
  }

  void FindPython() {
    const bool is_found = (thread_.runtime.kinds & bpf::RUNTIME_PYTHON) != 0 &&
                          python_.Begin(thread_.thread_pointer) && python_.has_next();
    language_ = is_found ? Language::kReady : Language::kNone;
  }

  // The frames of one interpreter loop, or all that are left.
  void WalkPython(bool is_rest) {
    if (language_ == Language::kUnknown)
      FindPython();
    if (language_ == Language::kReady && is_rest)
      Visit({.word = uint64_t{bpf::FRAME_REST} << FRAME_KIND_SHIFT});
    while (language_ == Language::kReady && word_count_ < bpf::USER_FRAMES_WALKED_MAX) {
      const std::optional<bpf::python_frame> frame = python_.Next();
      if (!frame.has_value()) {
        language_ = Language::kNone;
        return;
      }
      if (!python_.has_next())
        language_ = Language::kNone;
      // A frame without code marks a call from C. It matters only if the loops are unknown.
      if (frame->is_skipped == 0 || is_rest)
        VisitPython(*frame);
      if (frame->is_entry != 0 && !is_rest)
        return;
    }
  }

  void VisitPython(const bpf::python_frame& frame) {
    const uint64_t entry = frame.is_entry != 0 ? FRAME_CALLED_FROM_C : 0;
    const uint64_t object = frame.is_skipped != 0 ? 0 : frame.code & FRAME_OBJECT_MASK;
    const uint64_t instruction = frame.instruction & FRAME_INSTRUCTION_MASK;
    Visit({.word = (uint64_t{bpf::FRAME_PYTHON} << FRAME_KIND_SHIFT) | entry | object,
           .operand = (uint64_t{bpf::FRAME_OPERAND} << FRAME_KIND_SHIFT) |
                      (instruction << FRAME_INSTRUCTION_SHIFT) | frame.cookie});
  }

  const MixedThread& thread_;
  unwind::Memory& memory_;
  MixedCode& code_;
  absl::FunctionRef<void(const MixedFrame&)> visit_;
  bpf::unwind_registers registers_;
  PythonWalk python_;
  Language language_ = Language::kUnknown;
  bool is_guessed_ = false;
  int word_count_ = 0;
};

}  // namespace

bpf::unwind_end WalkMixed(const MixedThread& thread, unwind::Memory& memory, MixedCode& code,
                          absl::FunctionRef<void(const MixedFrame&)> visit) {
  const auto read = [&memory](uint64_t address, std::span<char> out) {
    return memory.ReadCode(address, std::as_writable_bytes(out))
               ? absl::OkStatus()
               : absl::OutOfRangeError("cannot read memory");
  };
  return MixedWalk(thread, memory, code, read, visit).Run();
}

}  // namespace flarestack::record::runtime
