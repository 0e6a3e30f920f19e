// SPDX-License-Identifier: Apache-2.0
//
// Programs whose stacks are not a plain chain of calls: other stacks, signals, exceptions, great
// depth, other languages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text.h"
#include "recording_fixture.h"

namespace flarestack::testing {
namespace {

using RecordStacksTest = RecordingTest;

TEST_F(RecordStacksTest, ExceptionInFlight) {
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

TEST_F(RecordStacksTest, UnwinderOfTheLanguageAtWork) {
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
  // While it leaves for a handler, a frame's return address is already that of the handler, but its
  // stack is not: no table describes that.
  ExpectComplete(recording, "unwinder", /*percent_missing_max=*/5);
  ExpectChain(recording, "unwinder", 0.8,
              {"main", "Catch()", "Throw(int)", "_Unwind_RaiseException"});
}

TEST_F(RecordStacksTest, Coroutine) {
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

TEST_F(RecordStacksTest, ContextWithAStackOfItsOwn) {
  const Recording recording = RecordSource({.name = "context", .source = R"(
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
)"});
  ExpectComplete(recording, "context");
  ExpectChain(recording, "context", 0.95, {"Elsewhere", "Work"});
}

// The first instruction of a function faults, and what lies right before it has other rules: a
// signal's frame is looked up at its address, and not before it.
TEST_F(RecordStacksTest, HandlerOnAnotherStackGoesOnToTheInterruptedFunction) {
  const Recording recording = RecordSource({.name = "handler", .source = R"(
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
)"});
  ExpectComplete(recording, "handler");
  ExpectChain(recording, "handler", 0.6,
              {"_start", "main", "Interrupted", "Faulting", "OnSignal", "Work"});
}

TEST_F(RecordStacksTest, ChildOfVfork) {
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
  // What the C library calls its own functions is known only where its debug files are installed.
  ExpectChain(recording, "threads", 0.95, {"Run", "Work"});
}

class RecordDepthTest : public RecordStacksTest, public ::testing::WithParamInterface<int> {};

TEST_P(RecordDepthTest, EveryFrameIsThere) {
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

TEST_F(RecordStacksTest, DeeperThanTheLimitIsCutAndSaysSo) {
  const Recording recording = RecordSource({.name = "deeper", .source = R"(
NOINLINE void Recurse(int depth) {
  if (depth > 1)
    Recurse(depth - 1);
  else
    Burn(kSeconds);
  KEEP_FRAME;
}
int main(void) { Recurse(1000); return 0; }
)"});
  int64_t cut = 0;
  for (const RecordedSample& sample : recording.samples) {
    if (sample.type == "samples" && sample.user.size() == 513 &&
        sample.user.front() == "[truncated: too deep]")
      cut += sample.weight;
  }
  EXPECT_GE(cut, recording.CompleteOf("deeper").all * 9 / 10);
}

TEST_F(RecordStacksTest, ProgramOfGo) {
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
    GTEST_SKIP() << "go cannot build here: " << built.error;
  const Recording recording = Record(folder_, {"-F", "499"}, {folder_.File("gopher")});
  ExpectComplete(recording, "gopher");
  ExpectChain(recording, "gopher", 0.9, {"runtime.main", "main.main", "main.outer", "main.inner"});
}

TEST_F(RecordStacksTest, ProgramOfRust) {
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
    GTEST_SKIP() << "rustc cannot build here: " << built.error;
  const Recording recording = Record(folder_, {"-F", "499"}, {folder_.File("crab")});
  ExpectComplete(recording, "crab");
  ExpectChain(recording, "crab", 0.9, {"_start", "main", "outer", "inner"});
}

}  // namespace
}  // namespace flarestack::testing
