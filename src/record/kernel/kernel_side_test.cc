// SPDX-License-Identifier: Apache-2.0
#include "record/kernel/kernel_side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "base/testing/eventually.h"
#include "record/process/proc/process_list.h"
#include "record/testing/recording_here.h"

namespace flarestack::record::agent {
namespace {

using testing::WhyNoRecording;

// The verifier gives up at a million instructions, and other kernel versions explore more paths
// than this one.
constexpr uint32_t kVerifiedInstructionsMax = 400'000;
constexpr uint64_t kTableBytesMax = 30'000'000;

class KernelSideTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (const std::string why = WhyNoRecording(); !why.empty())
      GTEST_SKIP() << why;
  }
};

TEST_P(KernelSideTest, ProgramsLoadAndVerifyQuickly) {
  const auto kernel = KernelSide::Load({.records_off_cpu = true, .avoids_loop = GetParam()});
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  std::map<std::string, uint32_t> instructions;
  for (const ProgramCost& cost : (*kernel)->ReadCosts()) {
    instructions[cost.name] = cost.verified_instructions;
    EXPECT_LT(cost.verified_instructions, kVerifiedInstructionsMax) << cost.name;
    std::printf("  %s: %u instructions verified\n", cost.name.c_str(), cost.verified_instructions);
  }
  EXPECT_EQ(instructions.contains("on_cpu_walk"), GetParam());
  EXPECT_TRUE(instructions.contains("off_cpu"));
}

TEST_P(KernelSideTest, TablesAreSmall) {
  const auto kernel = KernelSide::Load({.records_off_cpu = true, .avoids_loop = GetParam()});
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  std::printf("  %lu bytes of tables\n", static_cast<unsigned long>((*kernel)->memory_bytes()));
  EXPECT_GT((*kernel)->memory_bytes(), 1'000'000u);
  EXPECT_LT((*kernel)->memory_bytes(), kTableBytesMax);
}

// This process is not published, so each trace comes with its stack.
TEST_P(KernelSideTest, TracesOfAnUnknownProcessIncludeTheirStacks) {
  auto kernel = KernelSide::Load(
      {.frequency_hz = 999, .choice = {.processes = {getpid()}}, .avoids_loop = GetParam()});
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  const absl::Status attached = (*kernel)->Attach();
  ASSERT_TRUE(attached.ok()) << attached;
  std::map<uint32_t, int> kinds;
  int requests = 0;
  const auto begin = std::chrono::steady_clock::now();
  while (kinds[bpf::MESSAGE_STACK] < 5 &&
         std::chrono::steady_clock::now() - begin < std::chrono::minutes(1)) {
    (*kernel)->ReadTraces(
        [&](std::string_view message) {
          bpf::message_head head = {};
          ASSERT_GE(message.size(), sizeof(head));
          std::memcpy(&head, message.data(), sizeof(head));
          ++kinds[head.kind];
          EXPECT_EQ(head.tid, static_cast<uint32_t>(gettid()));
        },
        [](const bpf::trace_repeat&) {});
    (*kernel)->ReadRequests([&](std::string_view) { ++requests; });
  }
  EXPECT_GE(kinds[bpf::MESSAGE_TRACE], 5);
  EXPECT_GE(kinds[bpf::MESSAGE_STACK], 5);
  EXPECT_GE(requests, 5);
  const KernelCounters counters = (*kernel)->ReadCounters();
  EXPECT_GE(counters[bpf::COUNTER_SAMPLES], 5u);
  EXPECT_EQ(counters[bpf::COUNTER_TRACES_LOST], 0u);
  EXPECT_GE(counters[bpf::COUNTER_END_FIRST + int{bpf::UNWIND_UNKNOWN_PROCESS}], 5u);
}

uint64_t Monotonic() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

// A child that waits for a byte, spins, and waits again on request.
class WaitingChild {
 public:
  WaitingChild() {
    shared_ = static_cast<Shared*>(
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    if (shared_ == MAP_FAILED || pipe(pipe_) != 0)
      std::abort();
    pid_ = fork();
    if (pid_ == 0)
      Run();
  }
  ~WaitingChild() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    close(pipe_[0]);
    close(pipe_[1]);
    munmap(shared_, sizeof(Shared));
  }

  pid_t pid() const { return pid_; }
  void LetItWait() { ++shared_->turns; }
  // The child spins after this.
  void Wake() {
    const char byte = 0;
    if (write(pipe_[1], &byte, 1) != 1)
      std::abort();
    EXPECT_TRUE(base::testing::Eventually([&] { return shared_->woken != 0; }));
  }
  // How often the child was preempted after the wakeup.
  long preempted() const { return shared_->preempted; }

 private:
  struct Shared {
    std::atomic<int> turns;
    std::atomic<int> woken;
    std::atomic<long> preempted;
  };

  static long Preempted() {
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
  }

  [[noreturn]] void Run() {
    char byte = 0;
    while (shared_->turns < 1) {
    }
    if (read(pipe_[0], &byte, 1) != 1)
      _exit(1);
    const long preempted_before = Preempted();
    ++shared_->woken;
    while (shared_->turns < 2) {
    }
    shared_->preempted = Preempted() - preempted_before;
    if (read(pipe_[0], &byte, 1) != 1)
      _exit(1);
    _exit(0);
  }

  Shared* shared_ = nullptr;
  int pipe_[2] = {};
  pid_t pid_ = -1;
};

// A thread that is scheduled while our programs are detached does so unobserved.
TEST_P(KernelSideTest, ReportsAMissedWaitEndWhenTheThreadIsDescheduledAgain) {
  WaitingChild child;
  auto kernel = KernelSide::Load({.records_on_cpu = false,
                                  .records_off_cpu = true,
                                  .choice = {.processes = {child.pid()}},
                                  .avoids_loop = GetParam()});
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  std::vector<uint64_t> sleeps;  // start times
  std::vector<bpf::wait_end_message> ends;
  const auto read_until = [&](const auto& is_enough) {
    const auto begin = std::chrono::steady_clock::now();
    while (!is_enough() && std::chrono::steady_clock::now() - begin < std::chrono::minutes(1)) {
      (*kernel)->ReadTraces(
          [&](std::string_view message) {
            bpf::trace_message trace = {};
            std::memcpy(&trace, message.data(), std::min(message.size(), sizeof(trace)));
            if (trace.head.kind == bpf::MESSAGE_TRACE && trace.wait == bpf::WAIT_SLEEP)
              sleeps.push_back(trace.head.time_ns);
            if (trace.head.kind == bpf::MESSAGE_WAIT_END)
              std::memcpy(&ends.emplace_back(), message.data(), sizeof(bpf::wait_end_message));
          },
          [](const bpf::trace_repeat&) {});
    }
    ASSERT_TRUE(is_enough());
  };
  ASSERT_TRUE((*kernel)->Attach().ok());
  child.LetItWait();
  read_until([&] { return !sleeps.empty(); });
  (*kernel)->Detach();
  const uint64_t woken_ns = Monotonic();
  child.Wake();
  ASSERT_TRUE((*kernel)->Attach().ok());
  const uint64_t attached_ns = Monotonic();
  child.LetItWait();
  std::optional<uint64_t> run_ns;
  read_until([&] {
    for (const bpf::wait_end_message& end : ends) {
      if (end.head.time_ns == sleeps[0])
        run_ns = end.run_ns;
    }
    return run_ns.has_value();
  });
  ASSERT_TRUE(run_ns.has_value());
  // The reported time is when the thread was last scheduled. Time stolen by the host of a virtual
  // machine does not count as run time, so the reported time may be late by that amount.
  EXPECT_GE(*run_ns, woken_ns);
  EXPECT_LE(*run_ns, Monotonic());
  std::printf(
      "  reported to run %ld ns after it was woken, observed %ld ns after; preempted %ld times\n",
      static_cast<long>(*run_ns - woken_ns), static_cast<long>(attached_ns - woken_ns),
      child.preempted());
}

// Declares all code of this process as JIT-compiled, so that it is unwound without tables.
TEST_P(KernelSideTest, SendsAWholeTraceOncePerPeriod) {
  auto kernel = KernelSide::Load(
      {.frequency_hz = 999, .choice = {.processes = {getpid()}}, .avoids_loop = GetParam()});
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  const auto start = StartTime(getpid());
  ASSERT_TRUE(start.ok()) << start.status();
  bpf::process_tables tables = {};
  tables.start_time_ns = *start;
  tables.flags = bpf::PROCESS_MAKES_CODE;
  tables.version = 1;
  ASSERT_TRUE((*kernel)->SetProcess(getpid(), tables).ok());
  ASSERT_TRUE((*kernel)->Attach().ok());

  std::set<uint64_t> whole;  // content hashes of complete traces
  std::set<uint64_t> ended;  // those of periods that have ended
  uint64_t whole_count = 0;
  uint64_t repeated = 0;
  const auto read = [&] {
    (*kernel)->ReadTraces(
        [&](std::string_view message) {
          bpf::trace_message trace = {};
          ASSERT_GE(message.size(), offsetof(bpf::trace_message, frames));
          std::memcpy(&trace, message.data(), std::min(message.size(), sizeof(trace)));
          ASSERT_EQ(trace.head.kind, bpf::MESSAGE_TRACE);
          EXPECT_NE(trace.content, 0u);
          whole.insert(trace.content);
          ++whole_count;
        },
        [&](const bpf::trace_repeat& repeat) {
          ++repeated;
          EXPECT_GT(repeat.time_ns, 0u);
          EXPECT_TRUE(whole.contains(repeat.content));
          EXPECT_FALSE(ended.contains(repeat.content));
        });
  };
  const auto spin_until = [&](uint64_t repeated_min) {
    const auto begin = std::chrono::steady_clock::now();
    while (repeated < repeated_min &&
           std::chrono::steady_clock::now() - begin < std::chrono::minutes(1)) {
      for (volatile int left = 10'000'000; left > 0;)
        left = left - 1;
      read();
    }
    EXPECT_GE(repeated, repeated_min);
  };
  spin_until(50);
  const std::set<uint64_t> before = whole;
  (*kernel)->BeginPeriod();
  read();
  ended = before;
  spin_until(repeated + 50);
  (*kernel)->Detach();
  read();
  EXPECT_EQ(whole_count + repeated, (*kernel)->ReadCounters()[bpf::COUNTER_SAMPLES]);
}

INSTANTIATE_TEST_SUITE_P(, KernelSideTest, ::testing::Bool(), [](const auto& parameter) {
  return parameter.param ? "ProgramsThatCallEachOther" : "Loop";
});

}  // namespace
}  // namespace flarestack::record::agent
