// SPDX-License-Identifier: Apache-2.0
#include "record/agent/kernel_side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "record/agent/process_list.h"
#include "record/agent/testing/recording_here.h"

namespace flarestack::record::agent {
namespace {

using testing::WhyNoRecording;

// The kernel gives up at a million; other kernels follow more ways than this one.
constexpr uint32_t kVerifiedInstructionsMax = 100'000;
constexpr uint64_t kTableBytesMax = 30'000'000;

class KernelSideTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (const std::string why = WhyNoRecording(); !why.empty())
      GTEST_SKIP() << why;
  }
};

TEST_P(KernelSideTest, ProgramsLoadAndAreEasyToVerify) {
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

// Nothing is published about this process, so each trace comes with its stack.
TEST_P(KernelSideTest, TracesOfAnUnknownProcessComeWithTheirStacks) {
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

// All code of this process is said to be made while it runs: it is walked without tables.
TEST_P(KernelSideTest, ATraceIsSentWholeOnceInAPeriod) {
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

  std::set<uint64_t> whole;  // contents
  std::set<uint64_t> ended;  // of those, the ones of a period that is over
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
