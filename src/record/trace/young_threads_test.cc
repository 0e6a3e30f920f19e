// SPDX-License-Identifier: Apache-2.0
#include "record/trace/young_threads.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace flarestack::record::agent {
namespace {

constexpr uint64_t kMillisecond = 1'000'000;

class YoungThreadsTest : public ::testing::Test {
 protected:
  void Tick(uint32_t tid, const std::string& stack = "stack") {
    threads_.OnShortTick({.tid = tid, .stack = stack});
  }
  void Exit(uint32_t tid) {
    threads_.OnExit(tid, [&](const OwnSample& sample) { Take(sample); });
  }
  void Finish() {
    threads_.Finish([&](const OwnSample& sample) { Take(sample); });
  }
  void Take(const OwnSample& sample) {
    ++count_;
    ++stacks_[std::string(sample.stack)];
  }

  YoungThreads threads_{{.long_ns = 10 * kMillisecond, .short_ns = kMillisecond}};
  int count_ = 0;
  std::map<std::string, int> stacks_;
};

TEST_F(YoungThreadsTest, ShortThreadsCountInProportionToTheirTime) {
  for (uint32_t tid = 1; tid <= 500; ++tid) {
    Tick(tid);
    Exit(tid);
  }
  EXPECT_EQ(count_, 50);
  EXPECT_EQ(stacks_["stack"], 50);
}

TEST_F(YoungThreadsTest, TimeBeforeALongTickIsNotCountedTwice) {
  for (uint32_t tid = 1; tid <= 100; ++tid) {
    for (int i = 0; i < 9; ++i)
      Tick(tid);
    threads_.OnLongTick(tid);
    Tick(tid);
    Exit(tid);
  }
  EXPECT_EQ(count_, 10);
}

TEST_F(YoungThreadsTest, LongTicksInTheKernelCoverTheThreadToo) {
  for (int i = 0; i < 1000; ++i)
    Tick(1);
  Tick(2);
  Exit(1);
  Exit(2);
  Finish();
  EXPECT_LE(count_, 1);
}

TEST_F(YoungThreadsTest, KeepsEachTickOfAThreadWithEqualProbability) {
  for (uint32_t tid = 1; tid <= 10000; ++tid) {
    for (const char* const stack : {"a", "b", "c", "d", "e"})
      Tick(tid, stack);
    Exit(tid);
  }
  EXPECT_EQ(count_, 5000);
  for (const auto& [stack, count] : stacks_) {
    EXPECT_GT(count, 800) << stack;
    EXPECT_LT(count, 1200) << stack;
  }
}

TEST_F(YoungThreadsTest, ThreadsThatStillRunAreEmittedAtTheEnd) {
  for (uint32_t tid = 1; tid <= 30; ++tid)
    Tick(tid);
  EXPECT_EQ(count_, 0);
  Finish();
  EXPECT_EQ(count_, 3);
  Finish();
  EXPECT_EQ(count_, 3);
}

TEST_F(YoungThreadsTest, ThreadsBeyondTheLimitAreIgnored) {
  for (uint32_t tid = 1; tid <= YoungThreads::kThreadsMax + 1000; ++tid)
    Tick(tid);
  Finish();
  EXPECT_EQ(count_, static_cast<int>(YoungThreads::kThreadsMax / 10));
}

}  // namespace
}  // namespace flarestack::record::agent
