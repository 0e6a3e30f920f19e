// SPDX-License-Identifier: Apache-2.0
#include "base/helper_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

namespace flarestack::base {
namespace {

TEST(HelperPoolTest, CallsOncePerIndex) {
  for (const size_t helpers : {0, 1, 2, 16}) {
    HelperPool pool(helpers);
    for (const size_t count : {0, 1, 2, 1000}) {
      std::vector<std::atomic<int>> calls(count);
      EXPECT_TRUE(pool.For(count,
                           [&](size_t i) {
                             ++calls[i];
                             return absl::OkStatus();
                           })
                      .ok());
      for (const std::atomic<int>& times : calls)
        EXPECT_EQ(times, 1);
    }
  }
}

TEST(HelperPoolTest, RunsOnSeveralThreads) {
  HelperPool pool(2);
  std::latch all(3);  // no thread passes before three have arrived
  EXPECT_TRUE(pool.For(3,
                       [&](size_t) {
                         all.arrive_and_wait();
                         return absl::OkStatus();
                       })
                  .ok());
}

TEST(HelperPoolTest, StartsNoCallAfterAnError) {
  HelperPool pool(0);
  int calls = 0;
  const absl::Status status = pool.For(1000, [&](size_t i) {
    ++calls;
    return i == 3 ? absl::DataLossError("three") : absl::OkStatus();
  });
  EXPECT_EQ(status, absl::DataLossError("three"));
  EXPECT_EQ(calls, 4);
}

TEST(HelperPoolTest, DoesNotWaitForBusyHelpers) {
  HelperPool pool(1);
  std::latch is_busy(2);
  std::latch is_over(1);
  std::thread other([&] {
    EXPECT_TRUE(pool.For(2,
                         [&](size_t) {
                           is_busy.count_down();
                           is_over.wait();
                           return absl::OkStatus();
                         })
                    .ok());
  });
  is_busy.wait();
  int calls = 0;
  EXPECT_TRUE(pool.For(100,
                       [&](size_t) {
                         ++calls;
                         return absl::OkStatus();
                       })
                  .ok());
  EXPECT_EQ(calls, 100);
  is_over.count_down();
  other.join();
}

TEST(HelperPoolTest, SupportsNestedAndConcurrentCalls) {
  HelperPool pool(3);
  std::atomic<int> calls = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        EXPECT_TRUE(pool.For(5,
                             [&](size_t) {
                               return pool.For(4, [&](size_t) {
                                 ++calls;
                                 return absl::OkStatus();
                               });
                             })
                        .ok());
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(calls, 4 * 50 * 5 * 4);
}

TEST(ParallelForTest, RunsOnTheSharedPool) {
  std::atomic<size_t> sum = 0;
  EXPECT_TRUE(ParallelFor(100, [&](size_t i) {
                sum += i;
                return absl::OkStatus();
              }).ok());
  EXPECT_EQ(sum, 4950U);
}

}  // namespace
}  // namespace flarestack::base
