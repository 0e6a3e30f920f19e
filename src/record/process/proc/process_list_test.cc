// SPDX-License-Identifier: Apache-2.0
#include "record/process/proc/process_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <vector>

#include "base/clock.h"

namespace flarestack::record::agent {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

uint64_t BootNanos() {
  timespec now = {};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * base::kNanosPerSecond +
         static_cast<uint64_t>(now.tv_nsec);
}

constexpr uint64_t kTick = 10'000'000;

TEST(ParseStartTicksTest, NamesMayContainBlanksAndParentheses) {
  const std::string behind = " S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20 21";
  EXPECT_EQ(ParseStartTicks("12 (bash)" + behind), 4711u);
  EXPECT_EQ(ParseStartTicks("12 (a) S (b c) 99)" + behind), 4711u);
  EXPECT_EQ(ParseStartTicks("12 (bash) S 1 2 3"), std::nullopt);
  EXPECT_EQ(ParseStartTicks("12 bash"), std::nullopt);
}

TEST(StartTimeTest, ChildStartTimeIsWithinItsFork) {
  const uint64_t before = BootNanos();
  const pid_t pid = fork();
  if (pid == 0) {
    pause();
    _exit(0);
  }
  const uint64_t after = BootNanos();
  const auto start = StartTime(pid);
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  ASSERT_TRUE(start.ok()) << start.status();
  EXPECT_GE(*start + kTick, before);
  EXPECT_LE(*start, after);
  EXPECT_EQ(StartTime(pid).status().code(), absl::StatusCode::kNotFound);
}

TEST(StartTimeTest, MatchesTheKernelTimeWithinOneTick) {
  EXPECT_TRUE(IsSameStart(5 * kTick, 5 * kTick));
  EXPECT_TRUE(IsSameStart(6 * kTick - 1, 5 * kTick));
  EXPECT_FALSE(IsSameStart(6 * kTick, 5 * kTick));
  EXPECT_FALSE(IsSameStart(5 * kTick - 1, 5 * kTick));
}

TEST(ProcessListTest, IncludesThisProcess) {
  EXPECT_THAT(ListProcesses().value_or(std::vector<pid_t>{}), Contains(getpid()));
}

TEST(ProcessListTest, TooManyProcessesAreAnError) {
  EXPECT_EQ(ListProcesses(0).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(ProcessListTest, ReadsThreadsAndTheirNames) {
  const auto threads = ListThreads(getpid(), 1000);
  ASSERT_TRUE(threads.ok()) << threads.status();
  EXPECT_THAT(*threads, Contains(gettid()));
  EXPECT_EQ(ThreadName(getpid(), gettid()).value_or(""),
            std::string(program_invocation_short_name).substr(0, 15));
  EXPECT_THAT(ListThreads(getpid(), 0).value_or(std::vector<pid_t>{1}), ElementsAre());
  EXPECT_FALSE(ThreadName(getpid(), 0x7ffffffe).ok());
}

}  // namespace
}  // namespace flarestack::record::agent
