// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/stack_walk.h"

#include <execinfo.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iostream>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "record/unwind/testing/own_process.h"
#include "record/unwind/testing/traced_process.h"

namespace flarestack::record::unwind {
namespace {

using testing::OwnRules;
using testing::ProcessMemory;
using testing::TracedProcess;

struct Stack {
  std::vector<uint64_t> pcs;
  bpf::unwind_end end = bpf::UNWIND_MORE;
  size_t guessed_count = 0;
};

Stack WalkFrom(const bpf::unwind_registers& registers, Memory& memory, RuleSource& rules) {
  Stack stack;
  stack.end = Walk(registers, memory, rules, [&stack](const WalkedFrame& frame) {
    stack.pcs.push_back(frame.pc);
    stack.guessed_count += frame.is_guessed ? 1 : 0;
  });
  return stack;
}

// The stack of the caller, unwound by us and by backtrace(), both starting in this function.
struct TwoWalks {
  Stack ours;
  std::vector<uint64_t> theirs;
};
__attribute__((noinline)) void WalkHere(OwnRules& rules, TwoWalks* walks) {
  ucontext_t context;
  getcontext(&context);
  ProcessMemory memory(getpid());
  walks->ours = WalkFrom(testing::RegistersOf(context), memory, rules);
  void* addresses[1024];
  const int count = backtrace(addresses, 1024);
  for (int i = 0; i < count; ++i)
    walks->theirs.push_back(reinterpret_cast<uint64_t>(addresses[i]));
}

// From the second frame on they must be equal; the first frames are two addresses in one function.
// backtrace() may continue after the frame that is marked as outermost, but we must not. Under a
// sanitizer, its result starts with a frame of the sanitizer.
void ExpectSame(const TwoWalks& walks) {
  ASSERT_GT(walks.ours.pcs.size(), 2u);
  ASSERT_GT(walks.theirs.size(), 2u);
  const auto second =
      std::find(walks.theirs.begin() + 1, walks.theirs.begin() + 3, walks.ours.pcs[1]);
  EXPECT_EQ(std::vector(walks.ours.pcs.begin() + 1, walks.ours.pcs.end()),
            std::vector(second, walks.theirs.end()));
}

TEST(WalkerTest, MatchesTheCompilerUnwinder) {
  OwnRules rules;
  TwoWalks walks;
  WalkHere(rules, &walks);
  EXPECT_EQ(walks.ours.end, bpf::UNWIND_COMPLETE);
  EXPECT_EQ(walks.ours.guessed_count, 0u);
  ExpectSame(walks);
}

struct ThreadWork {
  OwnRules* rules;
  TwoWalks walks;
};

TEST(WalkerTest, EndsWhereAThreadBegins) {
  OwnRules rules;
  ThreadWork work = {.rules = &rules, .walks = {}};
  pthread_t thread;
  const auto run = [](void* opaque) -> void* {
    auto* mine = static_cast<ThreadWork*>(opaque);
    WalkHere(*mine->rules, &mine->walks);
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, nullptr, run, &work), 0);
  pthread_join(thread, nullptr);
  EXPECT_EQ(work.walks.ours.end, bpf::UNWIND_COMPLETE);
  ExpectSame(work.walks);
}

OwnRules* signal_rules = nullptr;
TwoWalks* signal_walks = nullptr;

TEST(WalkerTest, UnwindsSignalFramesOnThisAndAnotherStack) {
  OwnRules rules;
  std::vector<char> other_stack(1 << 20);
  stack_t other = {};
  other.ss_sp = other_stack.data();
  other.ss_size = other_stack.size();
  stack_t stack_before = {};
  ASSERT_EQ(sigaltstack(&other, &stack_before), 0);
  for (const int flags : {0, SA_ONSTACK}) {
    TwoWalks walks;
    signal_rules = &rules;
    signal_walks = &walks;
    struct sigaction action = {};
    struct sigaction before = {};
    action.sa_handler = [](int) { WalkHere(*signal_rules, signal_walks); };
    action.sa_flags = flags;
    ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
    raise(SIGUSR1);
    sigaction(SIGUSR1, &before, nullptr);
    EXPECT_EQ(walks.ours.end, bpf::UNWIND_COMPLETE);
    ExpectSame(walks);
  }
  if (stack_before.ss_sp == nullptr)
    stack_before.ss_flags = SS_DISABLE;
  sigaltstack(&stack_before, nullptr);
}

__attribute__((noinline)) int WalkHere(OwnRules& rules, Stack* stack) {
  ucontext_t context;
  getcontext(&context);
  ProcessMemory memory(getpid());
  *stack = WalkFrom(testing::RegistersOf(context), memory, rules);
  return 1;
}

// Keeps its frames small: an arm64 context in each of them would overflow the stack.
__attribute__((noinline)) int Descend(int depth, OwnRules& rules, Stack* stack) {
  if (depth == 0)
    return WalkHere(rules, stack);
  return Descend(depth - 1, rules, stack) + static_cast<int>(stack->pcs.size() % 2);
}

TEST(WalkerTest, GivesUpAfterTheMaximumNumberOfFrames) {
  OwnRules rules;
  Stack stack;
  Descend(bpf::USER_FRAMES_WALKED_MAX + 100, rules, &stack);
  EXPECT_EQ(stack.end, bpf::UNWIND_TOO_DEEP);
  EXPECT_EQ(stack.pcs.size(), static_cast<size_t>(bpf::USER_FRAMES_WALKED_MAX));
  Descend(400, rules, &stack);
  EXPECT_EQ(stack.end, bpf::UNWIND_COMPLETE);
  EXPECT_GT(stack.pcs.size(), 400u);
}

// ---- Without a process -------------------------------------------------------------------------

class OneRule final : public RuleSource {
 public:
  explicit OneRule(bpf::unwind_rule rule) : rule_(rule) {}
  bpf::unwind_rule RuleAt(uint64_t address) override {
    requested.push_back(address);
    return rule_;
  }
  std::vector<uint64_t> requested;

 private:
  bpf::unwind_rule rule_;
};

constexpr uint64_t kStack = 0x7000;

class CopiedStackTest : public ::testing::Test {
 protected:
  CopiedStackTest() {
    registers_.pc = 0x401000;
    registers_.regs[bpf::REG_SP] = kStack;
    registers_.regs[bpf::REG_FP] = kStack;
    registers_.has_all = 1;
  }

  Stack WalkOver(std::vector<uint64_t> words, RuleSource& rules) {
    CopiedStack memory(kStack, std::as_bytes(std::span(words)));
    return WalkFrom(registers_, memory, rules);
  }

  bpf::unwind_registers registers_ = {};
};

TEST_F(CopiedStackTest, ReadsOnlyInsideTheCopy) {
  const uint64_t words[2] = {1, 2};
  CopiedStack memory(kStack, std::as_bytes(std::span(words)));
  uint64_t word = 0;
  const auto target = std::as_writable_bytes(std::span(&word, 1));
  EXPECT_TRUE(memory.Read(kStack + 8, target));
  EXPECT_EQ(word, 2u);
  EXPECT_FALSE(memory.Read(kStack + 9, target));
  EXPECT_FALSE(memory.Read(kStack + 16, target));
  EXPECT_FALSE(memory.Read(kStack - 1, target));
  EXPECT_FALSE(memory.Read(UINT64_MAX - 3, target));
}

TEST_F(CopiedStackTest, TriesTheFramePointerWithoutARule) {
  OneRule none(RuleOfKind(bpf::RULE_NONE));
  const Stack stack = WalkOver({kStack + 16, 0x402000, 0, 0x403000}, none);
  EXPECT_EQ(stack.pcs, (std::vector<uint64_t>{0x401000, 0x402000, 0x403000}));
  EXPECT_EQ(stack.guessed_count, 2u) << "all but the interrupted one";
  EXPECT_EQ(stack.end, bpf::UNWIND_COMPLETE) << "the frame pointer is 0";
  EXPECT_EQ(none.requested, (std::vector<uint64_t>{0x401000, 0x401fff, 0x402fff}))
      << "return addresses are behind their call";
}

// The frame pointer register in code that uses it for something else.
TEST_F(CopiedStackTest, ZeroRegisterDoesNotEndAChain) {
  OneRule none(RuleOfKind(bpf::RULE_NONE));
  registers_.regs[bpf::REG_FP] = 0;
  EXPECT_EQ(WalkOver({0, 0x402000}, none).end, bpf::UNWIND_NO_RULE);
}

// A stack, and the same instructions around every code address.
class StackWithCode final : public Memory {
 public:
  StackWithCode(const std::vector<uint64_t>& words, std::string before, std::string from)
      : stack_(kStack, std::as_bytes(std::span(words))),
        before_(std::move(before)),
        from_(std::move(from)) {}

  bool Read(uint64_t address, std::span<std::byte> target) override {
    return stack_.Read(address, target);
  }
  // Code addresses are multiples of 4096, and reads begin at most 16 bytes before them.
  bool ReadCode(uint64_t address, std::span<std::byte> target) override {
    const std::string code = std::string(16 - before_.size(), '\0') + before_ + from_ +
                             std::string(16 - from_.size(), '\0');
    const size_t begin = (address + 16) % 4096;
    if (begin + target.size() > code.size())
      return false;
    std::memcpy(target.data(), code.data() + begin, target.size());
    return true;
  }

 private:
  CopiedStack stack_;
  const std::string before_;
  const std::string from_;
};

#if defined(__x86_64__)
const std::string kCall("\xe8\x00\x01\x00\x00", 5);
const std::string kIndirectCall("\x41\xff\x54\x24\x10", 5);  // call *16(%r12)
const std::string kPrologue("\x55\x48\x89\xe5", 4);
const std::string kReturn("\xc3", 1);
const std::string kPlain("\x48\x89\xd8\x90\x90", 5);
#else
const std::string kCall("\x40\x00\x00\x94", 4);
const std::string kIndirectCall("\x20\x00\x3f\xd6", 4);  // blr x1
const std::string kPrologue("\xfd\x7b\xbe\xa9", 4);      // stp x29,x30,[sp,#-32]!
const std::string kReturn("\xc0\x03\x5f\xd6", 4);
const std::string kPlain("\xe0\x03\x01\xaa", 4);  // mov x0,x1
#endif

TEST_F(CopiedStackTest, GuessedReturnAddressMustFollowACall) {
  OneRule none(RuleOfKind(bpf::RULE_NONE));
  const std::vector<uint64_t> words = {kStack + 16, 0x402000, 0, 0x403000};
  for (const std::string& code : {kCall, kIndirectCall}) {
    StackWithCode memory(words, code, kPlain);
    EXPECT_EQ(WalkFrom(registers_, memory, none).pcs.size(), 3u);
  }
  StackWithCode memory(words, kPlain, kPlain);
  const Stack stack = WalkFrom(registers_, memory, none);
  EXPECT_EQ(stack.pcs.size(), 1u);
  EXPECT_EQ(stack.end, bpf::UNWIND_NO_RULE);
}

TEST_F(CopiedStackTest, FramePointerBelongsToTheCallerAtTheFirstAndLastInstruction) {
  OneRule none(RuleOfKind(bpf::RULE_NONE));
  // The caller's frame is two words above, and it returns to 0x403000.
  const std::vector<uint64_t> words = {0x402000, 0, kStack + 32, 0x403000, 0, 0x404000};
  registers_.regs[bpf::REG_FP] = kStack + 16;
#if defined(__aarch64__)
  registers_.regs[bpf::ARM64_REG_LR] = 0x402000;
#endif
  for (const std::string& code : {kPrologue, kReturn}) {
    StackWithCode memory(words, kCall, code);
    EXPECT_EQ(WalkFrom(registers_, memory, none).pcs,
              (std::vector<uint64_t>{0x401000, 0x402000, 0x403000, 0x404000}));
  }
}

TEST_F(CopiedStackTest, EntryAndSignalFramesAreNotReturnAddresses) {
  bpf::unwind_rule rule = RuleOfKind(bpf::RULE_STOP);
  registers_.is_return_address = 1;
  OneRule stop(rule);
  CopiedStack memory(kStack, {});
  EXPECT_TRUE(StackWalk(registers_, memory, stop).frame().is_return_address);
  rule.flags = bpf::RULE_NOT_CALLED;
  OneRule entry(rule);
  EXPECT_FALSE(StackWalk(registers_, memory, entry).frame().is_return_address);
  OneRule signal(RuleOfKind(bpf::RULE_SIGNAL));
  EXPECT_FALSE(StackWalk(registers_, memory, signal).frame().is_return_address);
  EXPECT_EQ(signal.requested, std::vector<uint64_t>{registers_.pc - 1});
}

TEST(StackPiecesTest, MissingPiecesDoNotAffectOthers) {
  constexpr uint64_t kPiece = bpf::STACK_PIECE_BYTES;
  std::string bytes(3 * kPiece, 'a');
  std::fill_n(bytes.begin() + kPiece, kPiece, 'b');
  std::fill_n(bytes.begin() + 2 * kPiece, kPiece, 'c');
  // Pieces 0, 1 and 6, with an unwritten page in between.
  StackPieces pieces(kStack, 0b1000011, std::as_bytes(std::span(bytes)));
  char text[4] = {};
  const auto read = [&](uint64_t address) {
    return pieces.Read(address, std::as_writable_bytes(std::span(text)))
               ? std::string(text, sizeof(text))
               : "";
  };
  EXPECT_EQ(read(kStack), "aaaa");
  EXPECT_EQ(read(kStack + kPiece - 2), "aabb") << "over the edge of two";
  EXPECT_EQ(read(kStack + 2 * kPiece - 2), "") << "into the hole";
  EXPECT_EQ(read(kStack + 3 * kPiece), "");
  EXPECT_EQ(read(kStack + 6 * kPiece - 2), "");
  EXPECT_EQ(read(kStack + 6 * kPiece), "cccc");
  EXPECT_EQ(read(kStack + 7 * kPiece - 4), "cccc");
  EXPECT_EQ(read(kStack + 7 * kPiece - 3), "");
  EXPECT_EQ(read(kStack - 1), "");
  EXPECT_EQ(read(kStack + 64 * kPiece), "");
  StackPieces cut(kStack, 0b11, std::as_bytes(std::span(bytes)).first(kPiece + 4));
  EXPECT_TRUE(cut.Read(kStack + kPiece, std::as_writable_bytes(std::span(text))));
  EXPECT_FALSE(cut.Read(kStack + kPiece + 1, std::as_writable_bytes(std::span(text))));
}

TEST_F(CopiedStackTest, ReportsWhyItEnded) {
  bpf::unwind_rule rule = RuleOfKind(bpf::RULE_CFA);
  rule.cfa_base = bpf::REG_SP;
  rule.cfa_offset = 16;
  rule.ra_offset = -8;
  OneRule plain(rule);
  EXPECT_EQ(WalkOver({0, 0x402000, 0, 0}, plain).end, bpf::UNWIND_COMPLETE);
  EXPECT_EQ(WalkOver({0, 0x402000}, plain).end, bpf::UNWIND_RETURN_ADDRESS_UNREADABLE);
  EXPECT_EQ(WalkOver({0, 7}, plain).end, bpf::UNWIND_BAD_PC);
  OneRule stop(RuleOfKind(bpf::RULE_STOP));
  EXPECT_EQ(WalkOver({}, stop).end, bpf::UNWIND_COMPLETE);
  OneRule none(RuleOfKind(bpf::RULE_NONE));
  registers_.regs[bpf::REG_FP] = kStack - 8;
  EXPECT_EQ(WalkOver({0, 0x402000}, none).end, bpf::UNWIND_NO_RULE);
  rule.cfa_base = 9;
  OneRule other_register(rule);
  registers_.has_all = 0;
  EXPECT_EQ(WalkOver({0, 0x402000}, other_register).end, bpf::UNWIND_REGISTER_LOST);
  rule.cfa_base = bpf::REG_SP;
  rule.cfa_offset = -16;
  OneRule backwards(rule);
  EXPECT_EQ(WalkOver({0, 0, 0, 0}, backwards).end, bpf::UNWIND_RETURN_ADDRESS_UNREADABLE);
  rule.cfa_offset = 0;
  rule.ra_offset = 8;
  registers_.is_return_address = 1;
  OneRule circle(rule);
  EXPECT_EQ(WalkOver({0, 0x402000}, circle).end, bpf::UNWIND_STACK_BACKWARDS);
}

TEST_F(CopiedStackTest, ReadsASavedFramePointerWhereTheFramePointerPoints) {
  bpf::unwind_rule rule = RuleOfKind(bpf::RULE_CFA);
  rule.flags = bpf::RULE_CFA_LOADED | bpf::RULE_FP_SAVED | bpf::RULE_FP_AT_FP;
  rule.cfa_base = bpf::REG_FP;
  rule.cfa_offset = -8;
  rule.ra_offset = -8;
  OneRule realigned(rule);
  registers_.regs[bpf::REG_FP] = kStack + 8;
  std::vector<uint64_t> words = {kStack + 40, 0x1234, 0, 0, 0x402000};
  CopiedStack memory(kStack, std::as_bytes(std::span(words)));
  StackWalk walk(registers_, memory, realigned);
  EXPECT_EQ(walk.Step(), bpf::UNWIND_MORE);
  EXPECT_EQ(walk.frame().pc, 0x402000u);
  EXPECT_EQ(walk.registers().regs[bpf::REG_FP], 0x1234u);
  EXPECT_EQ(walk.registers().regs[bpf::REG_SP], kStack + 40);
}

// The end of a function that realigned its stack: the register is already restored, but the rule
// still describes where it was saved.
TEST_F(CopiedStackTest, InvalidFramePointerIsAlreadyThatOfTheCaller) {
  bpf::unwind_rule rule = RuleOfKind(bpf::RULE_CFA);
  rule.flags = bpf::RULE_FP_SAVED | bpf::RULE_FP_AT_FP;
  rule.cfa_base = bpf::REG_SP;
  rule.cfa_offset = 16;
  rule.ra_offset = -8;
  OneRule realigned(rule);
  registers_.regs[bpf::REG_FP] = 3;
  std::vector<uint64_t> words = {0, 0x402000};
  CopiedStack memory(kStack, std::as_bytes(std::span(words)));
  StackWalk walk(registers_, memory, realigned);
  EXPECT_EQ(walk.Step(), bpf::UNWIND_MORE);
  EXPECT_EQ(walk.registers().regs[bpf::REG_FP], 3u);
  rule.flags = bpf::RULE_FP_SAVED;
  rule.fp_offset = 64;
  OneRule plain(rule);
  EXPECT_EQ(WalkOver(words, plain).end, bpf::UNWIND_FRAME_POINTER_UNREADABLE);
}

TEST_F(CopiedStackTest, SwitchesToALowerStackOnlyIfTheRuleAllowsIt) {
  bpf::unwind_rule rule = RuleOfKind(bpf::RULE_CFA);
  rule.cfa_base = bpf::REG_FP;
  rule.cfa_offset = 16;
  rule.ra_offset = -8;
  registers_.regs[bpf::REG_SP] = kStack + 0x1000;
  const std::vector<uint64_t> words = {0, 0x402000, 0, 0};
  OneRule same_stack(rule);
  EXPECT_EQ(WalkOver(words, same_stack).end, bpf::UNWIND_STACK_BACKWARDS);
  rule.flags = bpf::RULE_OTHER_STACK;
  OneRule other_stack(rule);
  EXPECT_EQ(WalkOver(words, other_stack).pcs.size(),
            static_cast<size_t>(bpf::USER_FRAMES_WALKED_MAX))
      << "a circle is bounded by the number of frames";
}

// ---- At every instruction ----------------------------------------------------------------------

// The frame has a larger alignment than the stack and a dynamic size, so neither register has a
// fixed distance to its previous value.
__attribute__((noinline)) int Realigned(int size) {
  alignas(64) char fixed[64] = {};
  auto* moving = static_cast<char*>(__builtin_alloca(static_cast<size_t>(size)));
  snprintf(fixed, sizeof(fixed), "%d", size);
  snprintf(moving, static_cast<size_t>(size), "%s", fixed);
  return moving[0] + fixed[1];
}

// Makes calls through the linkage table, including first calls, to functions with all kinds of
// frames.
__attribute__((noinline)) double Work(int seed) {
  char text[64];
  snprintf(text, sizeof(text), "%d %s %.2f", seed, "work", std::sqrt(seed));
  std::vector<std::string> words = {text, "b", "a"};
  std::sort(words.begin(), words.end());
  return std::pow(static_cast<double>(words[0].size()), 1.5) + Realigned(seed * 10) + getppid();
}

TEST(WalkerTest, ReachesTheOutermostFrameFromEveryInstruction) {
  constexpr int kStepsMax = 20000;
  OwnRules rules;
  TracedProcess child = TracedProcess::Fork([] {
    volatile double sum = Work(7);
    static_cast<void>(sum);
  });
  if (!child.is_stopped())
    GTEST_SKIP() << "processes may not be traced here";
  ProcessMemory memory(child.pid());
  const uint64_t outermost = WalkFrom(child.Registers(), memory, rules).pcs.back();
  std::map<std::string, int> failures;
  int steps = 0;
  int whole = 0;
  int resolving = 0;
  int at_edges = 0;
  for (; steps < kStepsMax && child.Step(); ++steps) {
    const Stack stack = WalkFrom(child.Registers(), memory, rules);
    const bool is_good = stack.end == bpf::UNWIND_COMPLETE && stack.pcs.back() == outermost &&
                         stack.guessed_count == 0;
    // The resolver of the dynamic linker keeps its stack pointer in a register that its callees
    // save.
    const bool is_resolving = stack.end == bpf::UNWIND_REGISTER_LOST;
    // At the start and end of such a frame, unoptimized code already has its own frame pointer
    // while the CFA is still in another register, and g++ keeps describing it that way afterwards:
    // no rule is correct for all of these instructions.
    const bool is_at_edge = stack.end == bpf::UNWIND_STACK_BACKWARDS &&
                            stack.pcs.front() - reinterpret_cast<uint64_t>(&Realigned) < 512;
    whole += is_good ? 1 : 0;
    resolving += is_resolving ? 1 : 0;
    at_edges += is_at_edge ? 1 : 0;
    if (!is_good && !is_resolving && !is_at_edge)
      ++failures[base::StrCat(rules.Describe(stack.pcs.back()), " end ",
                              static_cast<int>(stack.end), " from ",
                              rules.Describe(stack.pcs.front()))];
  }
  std::cout << whole << " of " << steps << " stacks are whole, " << resolving
            << " while a symbol is looked for\n";
  EXPECT_GT(whole, 1000);
  EXPECT_LE(at_edges, 2);
#if defined(__aarch64__)
  // The resolver of glibc 2.36 describes its caller's stack 16 bytes too low, and the stubs that
  // lead to it have no unwind information: that affects a few percent of the steps.
  int in_stubs = 0;
  for (const auto& [what, count] : failures)
    in_stubs += what.find(" from ld-linux") == std::string::npos ? count : 0;
  EXPECT_LE(in_stubs, steps / 20);
  failures.clear();
#endif
  for (const auto& [what, count] : failures)
    ADD_FAILURE() << what << ": " << count << " times";
}

}  // namespace
}  // namespace flarestack::record::unwind
