// SPDX-License-Identifier: Apache-2.0
//
// Programs whose stacks are not a plain chain of calls: other stacks, signals, exceptions, deep
// recursion, other languages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <cstdio>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "recording_fixture.h"

namespace flarestack::testing {
namespace {

using RecordStacksTest = RecordingTest;

TEST_F(RecordStacksTest, UnwindsAnExceptionInFlight) {
  const Recording recording = RecordSource({.name = "thrower",
                                            .source = R"(
struct Guard { NOINLINE ~Guard() { Burn(kSeconds / 20); KEEP_FRAME; } };
NOINLINE void Deep(int depth) {
  if (depth == 0)
    throw depth;
  Guard guard;
  Deep(depth - 1);
  KEEP_FRAME;
}
NOINLINE void Catch() {
  try { Deep(5); } catch (int) { sink += 1; }
}
int main() { for (int i = 0; i < 4; ++i) Catch(); }
)",
                                            .compiler = "g++"});
  ExpectComplete(recording, "thrower");
  ExpectChain(recording, "thrower", 0.95, {"main", "Catch()", "Deep(int)", "Guard::~Guard()"});
}

TEST_F(RecordStacksTest, UnwindsTheLanguageUnwinderAtWork) {
  const Recording recording = RecordSource({.name = "unwinder",
                                            .source = R"(
NOINLINE void Throw(int depth) {
  if (depth == 0)
    throw depth;
  Throw(depth - 1);
  KEEP_FRAME;
}
NOINLINE void Catch() {
  try { Throw(10); } catch (int) { sink += 1; }
}
int main() { while (Used() < kSeconds) Catch(); }
)",
                                            .compiler = "g++"});
  // While the unwinder jumps to a handler, the return address of a frame is already that of the
  // handler, but its stack is not. No table describes that.
  ExpectComplete(recording, "unwinder", /*percent_missing_max=*/5);
  ExpectChain(recording, "unwinder", 0.8,
              {"main", "Catch()", "Throw(int)", "_Unwind_RaiseException"});
}

TEST_F(RecordStacksTest, UnwindsACoroutine) {
  const Recording recording = RecordSource({.name = "coroutine",
                                            .source = R"(
#include <coroutine>
struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
NOINLINE void Work(double seconds) { Burn(seconds); KEEP_FRAME; }
Task Steps() {
  for (int i = 0; i < 10; ++i) {
    Work(kSeconds / 10);
    co_await std::suspend_always();
  }
}
NOINLINE void Resume(std::coroutine_handle<> handle) { handle.resume(); KEEP_FRAME; }
int main() {
  Task task = Steps();
  while (!task.handle.done())
    Resume(task.handle);
  task.handle.destroy();
}
)",
                                            .compiler = "g++",
                                            .flags = "-O2 -std=c++20"});
  ExpectComplete(recording, "coroutine");
  ExpectChain(recording, "coroutine", 0.95,
              {"main", "Resume(std::__n4861::coroutine_handle<void>)", "Work(double)"});
}

TEST_F(RecordStacksTest, UnwindsAContextWithASeparateStack) {
  const Recording recording = RecordSource({.name = "context",
                                            .source = R"(
#include <stdlib.h>
#include <ucontext.h>
static ucontext_t ours, theirs;
NOINLINE void Work(double seconds) { Burn(seconds); KEEP_FRAME; }
static NOINLINE void Elsewhere(void) {
  for (int i = 0; i < 10; ++i) {
    Work(kSeconds / 10);
    swapcontext(&theirs, &ours);
  }
}
int main(void) {
  getcontext(&theirs);
  theirs.uc_stack.ss_size = 1 << 16;
  theirs.uc_stack.ss_sp = malloc(1 << 16);
  theirs.uc_link = &ours;
  makecontext(&theirs, Elsewhere, 0);
  for (int i = 0; i < 10; ++i)
    swapcontext(&ours, &theirs);
  return 0;
}
)",
                                            .flags = "-O2 -static"});
#if defined(__x86_64__)
  ExpectComplete(recording, "context");
  ExpectChain(recording, "context", 0.95, {"__start_context", "Elsewhere", "Work"});
#else
  // On other architectures the C library returns to the first instruction of a function, with no
  // unwind information before it: the stack has all frames but is not marked as complete.
  ExpectChain(recording, "context", 0.95, {"Elsewhere", "Work"});
#endif
}

// The first instruction of a function faults, and the code right before it has other unwind rules.
// The frame that a signal interrupts must be looked up at its exact address, not before it.
TEST_F(RecordStacksTest, UnwindsFromAHandlerOnAnotherStackToTheInterruptedFunction) {
  const Recording recording = RecordSource({.name = "handler",
                                            .source = R"(
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
__asm__(
    ".text\n"
    "Before:\n.cfi_startproc\n.cfi_def_cfa_offset 4096\nnop\n.cfi_endproc\n"
    ".globl Faulting\n.type Faulting, %function\nFaulting:\n.cfi_startproc\n"
#if defined(__x86_64__)
    "ud2\nret\n"
#else
    "udf #0\nret\n"
#endif
    ".cfi_endproc\n.size Faulting, .-Faulting\n");
void Faulting(void);
static sigjmp_buf back;
NOINLINE void Work(double seconds) { Burn(seconds); KEEP_FRAME; }
static void OnSignal(int signal) {
  Work(kSeconds / 10);
  siglongjmp(back, 1);
}
NOINLINE void Interrupted(void) { Faulting(); KEEP_FRAME; }
int main(void) {
  stack_t other = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
  struct sigaction action = {.sa_handler = OnSignal, .sa_flags = SA_ONSTACK};
  sigaltstack(&other, 0);
  sigaction(SIGILL, &action, 0);
  Burn(kSeconds / 2);  // a stack that is copied is one stack, so let tables be loaded
  for (volatile int i = 0; i < 10; ++i) {
    if (sigsetjmp(back, 1) == 0)
      Interrupted();
  }
  return 0;
}
)",
                                            .flags = "-O2 -static"});
  ExpectComplete(recording, "handler");
#if defined(__x86_64__)
  const std::string trampoline = "__restore_rt";
#else
  const std::string trampoline = "__kernel_rt_sigreturn";
#endif
  ExpectChain(recording, "handler", 0.6,
              {"_start", "main", "Interrupted", "Faulting", trampoline, "OnSignal", "Work"});
}

TEST_F(RecordStacksTest, UnwindsAVforkChild) {
  const Recording recording = RecordSource({.name = "vforker", .source = R"(
#include <sys/wait.h>
#include <unistd.h>
NOINLINE void InChild(void) { Burn(kSeconds / 4); KEEP_FRAME; }
NOINLINE void Start(void) {
  const pid_t child = vfork();
  if (child == 0) {
    InChild();
    _exit(0);
  }
  waitpid(child, 0, 0);
}
int main(void) { for (int i = 0; i < 4; ++i) Start(); return 0; }
)"});
  ExpectComplete(recording, "vforker");
  ExpectChain(recording, "vforker", 0.95, {"_start", "main", "Start", "InChild"});
}

TEST_F(RecordStacksTest, ThreadsEndWhereTheyBegan) {
  const Recording recording = RecordSource({.name = "threads",
                                            .source = R"(
#include <pthread.h>
NOINLINE void Work(void) { Burn(kSeconds / 4); KEEP_FRAME; }
static void* Run(void* argument) { Work(); return argument; }
int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], 0, Run, 0);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
  return 0;
}
)",
                                            .flags = "-O2 -pthread"});
  ExpectComplete(recording, "threads");
  // Names of internal functions of the C library are known only if its debug files are installed.
  ExpectChain(recording, "threads", 0.95, {"Run", "Work"});
}

class RecordDepthTest : public RecordStacksTest, public ::testing::WithParamInterface<int> {};

TEST_P(RecordDepthTest, HasEveryFrame) {
  const int depth = GetParam();
  const Recording recording = RecordSource({.name = "deep",
                                            .source = base::StrCat(R"(
NOINLINE void Recurse(int depth) {
  if (depth > 1)
    Recurse(depth - 1);
  else
    Burn(kSeconds);
  KEEP_FRAME;
}
int main(void) { Recurse()",
                                                                   depth, R"(); return 0; }
)")});
  ExpectComplete(recording, "deep");
  std::vector<std::string> functions(static_cast<size_t>(depth), "Recurse");
  functions.insert(functions.begin(), "main");
  ExpectChain(recording, "deep", 0.97, functions);
}

INSTANTIATE_TEST_SUITE_P(, RecordDepthTest, ::testing::Values(128, 500),
                         ::testing::PrintToStringParamName());

// `depth` calls of Recurse between main and Burn.
std::string RecursionOf(int depth) {
  return base::StrCat(R"(
NOINLINE void Recurse(int depth) {
  if (depth > 1)
    Recurse(depth - 1);
  else
    Burn(kSeconds);
  KEEP_FRAME;
}
int main(void) { Recurse()",
                      depth, R"(); return 0; }
)");
}

TEST_F(RecordStacksTest, DeepRecursionHasBothEndsAndMarksTheGap) {
  const Recording recording = RecordSource({.name = "deeper", .source = RecursionOf(2000)});
  // Until the tables of the program are loaded, the recorder copies the stack, and this one is
  // larger than the copy.
  ExpectComplete(recording, "deeper", /*percent_missing_max=*/10);
  ExpectChain(recording, "deeper", 0.85,
              {"_start", "main", "Recurse", "[frames omitted]", "Recurse"});
  for (const RecordedSample& sample : recording.samples)
    EXPECT_LE(sample.user.size(), 1032u);
}

TEST_F(RecordStacksTest, MarksStacksTruncatedAtTheDepthLimit) {
  const Recording recording = RecordSource({.name = "deepest", .source = RecursionOf(10000)});
  int64_t cut = 0;
  for (const RecordedSample& sample : recording.samples) {
    if (sample.type == "samples" && sample.user.size() > 800 && sample.user.size() < 1032 &&
        sample.user.front() == "[truncated: too deep]")
      cut += sample.weight;
  }
  EXPECT_GE(cut, recording.CompleteOf("deepest").all * 9 / 10);
}

// ---- Stacks that are copied, and code without tables ----------------------------------------

// Starts `program` often, so that most samples are of processes that the recorder does not know
// yet.
std::string StarterOf(const std::string& program, int count) {
  return base::StrCat(R"(
#include <sys/wait.h>
#include <unistd.h>
NOINLINE void Launch(void) {
  const pid_t child = fork();
  if (child == 0) {
    execl(")",
                      program, R"(", "child", (char*)0);
    _exit(1);
  }
  waitpid(child, 0, 0);
  KEEP_FRAME;
}
int main(void) { for (int i = 0; i < )",
                      count, R"(; ++i) Launch(); return 0; }
)");
}

TEST_F(RecordStacksTest, UnwindsAcrossUntouchedLocals) {
  const std::string child = Compile(folder_, {.name = "hollow", .source = R"(
NOINLINE void Inner(void) { Burn(kSeconds / 50); KEEP_FRAME; }
NOINLINE void Hollow(void) {
  char untouched[12288];
  __asm__ volatile("" ::"r"(untouched) : "memory");
  Inner();
  __asm__ volatile("" ::"r"(untouched) : "memory");
}
int main(void) { Hollow(); return 0; }
)"});
  const Recording recording = RecordSource({.name = "starter", .source = StarterOf(child, 60)});
  ExpectComplete(recording, "hollow", /*percent_missing_max=*/5);
  ExpectChain(recording, "hollow", 0.7, {"_start", "main", "Hollow", "Inner"});
}

// Once exec has replaced the memory, no frames of the old program may appear.
TEST_F(RecordStacksTest, SeparatesFramesOfOldAndNewProgramAcrossExec) {
  const std::string child =
      Compile(folder_, {.name = "successor",
                        .source = "NOINLINE void InChild(void) { Burn(0.001); KEEP_FRAME; }\n"
                                  "int main(void) { InChild(); return 0; }\n"});
  const Recording recording =
      Record(folder_, {"-F", "999"},
             {Compile(folder_, {.name = "predecessor", .source = StarterOf(child, 300)})});
  int64_t before = 0;
  int64_t after = 0;
  std::vector<std::string> wrong;
  for (const RecordedSample& sample : recording.samples) {
    if (sample.type != "samples")
      continue;
    const bool is_old = HasInOrder(sample.user, {"Launch"});
    const bool is_new = HasInOrder(sample.user, {"InChild"});
    before += is_old ? sample.weight : 0;
    after += is_new ? sample.weight : 0;
    const auto is_of = [&](const std::string& name) {
      return sample.command == name && sample.executable.ends_with("/" + name);
    };
    // One or two frames of one program on top of the stack of another.
    const bool is_mixed = sample.command == "successor" &&
                          std::ranges::find(sample.user, "execve") != sample.user.end();
    if ((is_old && !is_of("predecessor")) || (is_new && !is_of("successor")) || is_mixed)
      wrong.push_back(sample.command + " " + sample.executable + " " + StackText(sample));
  }
  std::printf("  %ld of the old program, %ld of the new\n", static_cast<long>(before),
              static_cast<long>(after));
  // The kernel switches to the registers of the new program a few microseconds after its memory.
  EXPECT_LE(static_cast<int64_t>(wrong.size()), 1 + (before + after) / 50)
      << ::testing::PrintToString(wrong);
  EXPECT_GT(before, 20);
  EXPECT_GT(after, 20);
}

// Neither tables nor frame pointers: unwinding relies on the instructions alone.
TEST_F(RecordStacksTest, UnwindsAProgramWithoutUnwindTables) {
  const Recording recording = RecordSource({.name = "bare",
                                            .source = R"(
#include <stdlib.h>
static int Compare(const void* a, const void* b) {
  Burn(kSeconds / 20);
  KEEP_FRAME;
  return *(const int*)a - *(const int*)b;
}
NOINLINE void Sort(int* values, int count) {
  int copy[64];
  for (int i = 0; i < count; ++i) copy[i] = values[i];
  qsort(copy, (size_t)count, sizeof(int), Compare);
  values[0] = copy[0];
  KEEP_FRAME;
}
int main(void) {
  int values[8] = {7, 3, 5, 1, 2, 8, 6, 4};
  Sort(values, 8);
  return 0;
}
)",
                                            .flags = "-O2 -fomit-frame-pointer "
                                                     "-fno-asynchronous-unwind-tables "
                                                     "-fno-unwind-tables"});
  ExpectComplete(recording, "bare");
  ExpectChain(recording, "bare", 0.95, {"_start", "main", "Sort", "Compare"});
}

// musl has no unwind information for its functions, on any architecture.
TEST_F(RecordStacksTest, UnwindsAStaticMuslProgram) {
  if (!HasProgram("musl-gcc"))
    GTEST_SKIP() << "musl-gcc is not installed";
  const Recording recording = RecordSource({.name = "musl",
                                            .source = R"(
#include <stdlib.h>
#include <string.h>
static int Compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
NOINLINE void Sort(void) {
  static int values[4096];
  for (int i = 0; i < 4096; ++i) values[i] = rand();
  qsort(values, 4096, sizeof(int), Compare);
  KEEP_FRAME;
}
NOINLINE void Print(void) {
  char text[200];
  for (int i = 0; i < 300; ++i) snprintf(text, sizeof(text), "%d %f %s", i, i * 1.5, "text");
  KEEP_FRAME;
}
NOINLINE void Allocate(void) {
  void* blocks[100];
  for (int i = 0; i < 100; ++i) memset(blocks[i] = malloc(100 * i + 1), 1, 100 * i);
  for (int i = 0; i < 100; ++i) free(blocks[i]);
  KEEP_FRAME;
}
int main(void) { while (Used() < kSeconds) { Sort(); Print(); Allocate(); } return 0; }
)",
                                            .compiler = "musl-gcc",
                                            .flags = "-O2 -static"});
  ExpectComplete(recording, "musl", /*percent_missing_max=*/5);
#if defined(__x86_64__)
  const std::string outermost = "_start";
#else
  const std::string outermost = "libc_start_main_stage2";  // jumped to, not called
#endif
  ExpectChain(recording, "musl", 0.9, {outermost, "main"});
  ExpectChain(recording, "musl", 0.1, {outermost, "main", "Sort"});
}

// ---- Other languages ------------------------------------------------------------------------

TEST_F(RecordStacksTest, UnwindsAGoProgram) {
  if (!HasProgram("go"))
    GTEST_SKIP() << "go is not installed";
  folder_.Write("gopher.go", R"(package main

import "syscall"

var sink int

func used() int64 {
    var usage syscall.Rusage
    syscall.Getrusage(0, &usage)
    return usage.Utime.Nano() + usage.Stime.Nano()
}

//go:noinline
func inner() {
    for used() < 500000000 {
        for i := 0; i < 100000; i++ {
            sink += i
        }
    }
}

//go:noinline
func outer() { inner(); sink++ }

func main() { outer() }
)");
  const RunResult built =
      RunProgram({"/bin/sh", "-c", "go build -o gopher gopher.go"}, {.directory = folder_.path()});
  if (built.exit_code != 0)
    GTEST_SKIP() << "go build failed: " << built.error;
  const Recording recording = Record(folder_, {"-F", "499"}, {folder_.File("gopher")});
  ExpectComplete(recording, "gopher");
  ExpectChain(recording, "gopher", 0.9, {"runtime.main", "main.main", "main.outer", "main.inner"});
}

TEST_F(RecordStacksTest, UnwindsARustProgram) {
  if (!HasProgram("rustc"))
    GTEST_SKIP() << "rustc is not installed";
  folder_.Write("crab.rs", R"(extern "C" { fn clock() -> i64; }
#[inline(never)]
#[no_mangle]
fn inner() -> u64 {
    let mut sum = 0u64;
    while unsafe { clock() } < 500000 {
        for i in 0..100000u64 { sum = std::hint::black_box(sum.wrapping_mul(3) + i); }
    }
    sum
}
#[inline(never)]
#[no_mangle]
fn outer() -> u64 { std::hint::black_box(inner()) + 1 }
fn main() { std::hint::black_box(outer()); }
)");
  const RunResult built =
      RunProgram({"/bin/sh", "-c", "rustc -O crab.rs"}, {.directory = folder_.path()});
  if (built.exit_code != 0)
    GTEST_SKIP() << "rustc failed: " << built.error;
  const Recording recording = Record(folder_, {"-F", "499"}, {folder_.File("crab")});
  ExpectComplete(recording, "crab");
  ExpectChain(recording, "crab", 0.9, {"_start", "main", "outer", "inner"});
}

}  // namespace
}  // namespace flarestack::testing
