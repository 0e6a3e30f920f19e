// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/naming/mixed_walk.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>

#include "base/text/text.h"
#include "record/unwind/rows/row.h"

namespace flarestack::record::runtime {
namespace {

// Words by address.
class WordMemory final : public unwind::Memory {
 public:
  bool Read(uint64_t address, std::span<std::byte> target) override {
    for (size_t i = 0; i + 8 <= target.size(); i += 8) {
      const auto word = words_.find(address + i);
      if (word == words_.end())
        return false;
      std::memcpy(target.data() + i, &word->second, 8);
    }
    return true;
  }
  bool ReadCode(uint64_t address, std::span<std::byte> target) override {
    return Read(address, target);
  }

  uint64_t& operator[](uint64_t address) { return words_[address]; }

 private:
  std::map<uint64_t, uint64_t> words_;
};

constexpr uint64_t kC = 0x10000;          // a function with a frame pointer
constexpr uint64_t kLoop = 0x20000;       // of the interpreter
constexpr uint64_t kLost = 0x30000;       // without a rule that helps
constexpr uint64_t kStart = 0x40000;      // the outermost function
constexpr uint64_t kGenerated = 0x50000;  // code of a language that is not known here
constexpr uint64_t kStack = 0x7000000;
constexpr uint64_t kThread = 0x9000000;

class FourFunctions final : public MixedCode {
 public:
  bpf::unwind_rule RuleAt(uint64_t address) override {
    bpf::unwind_rule rule = unwind::RuleOfKind(bpf::RULE_FRAME_POINTER);
    switch (address & ~uint64_t{0xffff}) {
      case kLoop:
        rule.flags = bpf::RULE_INTERPRETER;
        break;
      case kLost:  // needs a register that is not saved
        rule = {.kind = bpf::RULE_CFA, .cfa_base = 3};
        break;
      case kStart:
        rule = unwind::RuleOfKind(bpf::RULE_STOP);
        break;
      case kGenerated:
        rule = unwind::RuleOfKind(bpf::RULE_GENERATED);
        break;
      default:
        break;
    }
    return rule;
  }
  bool IsInFile(uint64_t) override { return false; }
};

// As CPython 3.11: a thread state at kThread, frames of four words.
bpf::python_process Python() {
  bpf::python_process python = {};
  python.minor = 11;
  python.entry_kind = bpf::PYTHON_ENTRY_BYTE;
  python.instruction_kind = bpf::PYTHON_INSTRUCTION_POINTER;
  python.frame_bytes = 32;
  python.frame_code = 0;
  python.frame_previous = 8;
  python.frame_instruction = 16;
  python.frame_entry = 24;
  python.code_start = 0x20;
  return python;
}

class MixedWalkTest : public ::testing::Test {
 protected:
  MixedWalkTest() {
    runtime_.kinds = bpf::RUNTIME_PYTHON;
    runtime_.python = Python();
  }

  // Native frames, leaf first.
  void SetNative(const std::vector<uint64_t>& functions) {
    registers_.pc = functions[0] + 0x10;
    registers_.regs[bpf::REG_SP] = kStack;
    registers_.regs[bpf::REG_FP] = kStack + 0x10;
    for (size_t i = 1; i < functions.size(); ++i) {
      memory_[kStack + 0x10 * i] = kStack + 0x10 * (i + 1);
      memory_[kStack + 0x10 * i + 8] = functions[i] + 0x10;
    }
  }

  struct Frame {
    uint64_t code = 0;
    bool is_entry = false;
  };
  void SetPython(const std::vector<Frame>& frames) {
    constexpr uint64_t kState = 0xa000000;
    constexpr uint64_t kFrames = 0xb000000;
    memory_[kThread] = kState;
    memory_[kState] = frames.empty() ? 0 : kFrames;
    for (size_t i = 0; i < frames.size(); ++i) {
      const uint64_t frame = kFrames + 0x100 * i;
      memory_[frame] = frames[i].code;
      memory_[frame + 8] = i + 1 == frames.size() ? 0 : frame + 0x100;
      memory_[frame + 16] = frames[i].code + 0x20 + 6;
      memory_[frame + 24] = frames[i].is_entry ? 1 : 0;
    }
  }

  std::string Walk() {
    std::string text;
    const auto add = [&text](const MixedFrame& frame) {
      const uint64_t kind = frame.word >> FRAME_KIND_SHIFT;
      const uint64_t function = frame.native.pc & ~uint64_t{0xffff};
      if (kind == bpf::FRAME_PYTHON) {
        EXPECT_EQ((frame.operand >> FRAME_INSTRUCTION_SHIFT) & FRAME_INSTRUCTION_MASK, 6u);
        text += base::StrCat("python ", base::Hex(frame.word & FRAME_OBJECT_MASK));
        text += (frame.word & FRAME_CALLED_FROM_C) != 0 ? " from C\n" : "\n";
      } else if (kind == bpf::FRAME_REST) {
        text += "rest\n";
      } else {
        text += function == kC           ? "c\n"
                : function == kLoop      ? "loop\n"
                : function == kStart     ? "start\n"
                : function == kGenerated ? "generated\n"
                                         : "lost\n";
      }
    };
    end_ = WalkMixed({.registers = registers_, .thread_pointer = kThread, .runtime = runtime_},
                     memory_, code_, add);
    return text;
  }

  WordMemory memory_;
  FourFunctions code_;
  bpf::unwind_registers registers_ = {};
  bpf::runtime_process runtime_ = {};
  bpf::unwind_end end_ = bpf::UNWIND_MORE;
};

TEST_F(MixedWalkTest, EachLoopIsFollowedByTheFramesItRuns) {
  SetNative({kC, kLoop, kC, kLoop, kStart});
  SetPython(
      {{.code = 0x1000}, {.code = 0x2000, .is_entry = true}, {.code = 0x3000, .is_entry = true}});
  EXPECT_EQ(Walk(),
            "c\nloop\npython 0x1000\npython 0x2000 from C\n"
            "c\nloop\npython 0x3000 from C\nstart\n");
  EXPECT_EQ(end_, bpf::UNWIND_COMPLETE);
}

TEST_F(MixedWalkTest, RestOfTheFramesFollowsWhereTheNativeFramesEnd) {
  SetNative({kLoop, kLost, kLoop, kStart});
  SetPython(
      {{.code = 0x1000, .is_entry = true}, {.code = 0x2000}, {.code = 0x3000, .is_entry = true}});
  EXPECT_EQ(Walk(),
            "loop\npython 0x1000 from C\nlost\nrest\npython 0x2000\npython 0x3000 from C\n");
  EXPECT_EQ(end_, bpf::UNWIND_REGISTER_LOST);
}

TEST_F(MixedWalkTest, FramesOfAnotherThreadStateAreNotGuessed) {
  SetNative({kLoop, kStart});
  EXPECT_EQ(Walk(), "loop\nstart\n") << "the state of the thread cannot be read";
  SetPython({});
  EXPECT_EQ(Walk(), "loop\nstart\n") << "the thread runs no Python";
}

TEST_F(MixedWalkTest, GeneratedCodeOfAnUnknownLanguageIsANativeFrame) {
  SetNative({kC, kGenerated, kStart});
  EXPECT_EQ(Walk(), "c\ngenerated\nstart\n");
  EXPECT_EQ(end_, bpf::UNWIND_COMPLETE);
}

TEST_F(MixedWalkTest, CyclesEnd) {
  SetNative({kLoop, kLost});
  SetPython({{.code = 0x1000}, {.code = 0x2000}});
  memory_[0xb000108] = 0xb000000;
  EXPECT_FALSE(Walk().empty());
}

}  // namespace
}  // namespace flarestack::record::runtime
