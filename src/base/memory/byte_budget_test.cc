// SPDX-License-Identifier: Apache-2.0
#include "base/memory/byte_budget.h"

#include <gtest/gtest.h>

#include <limits>
#include <thread>
#include <vector>

namespace flarestack::base {
namespace {

TEST(ByteBudgetTest, GrantsAllOrNothing) {
  ByteBudget budget(100);
  EXPECT_TRUE(budget.TryAcquire(60));
  EXPECT_FALSE(budget.TryAcquire(41));
  EXPECT_EQ(budget.current_bytes(), 60u);
  EXPECT_EQ(budget.rejected_count(), 1u);
  EXPECT_TRUE(budget.TryAcquire(40));
  EXPECT_FALSE(budget.TryAcquire(1));
  EXPECT_FALSE(budget.TryAcquire(std::numeric_limits<uint64_t>::max()));
}

TEST(ByteBudgetTest, RecordsTheHighWaterMark) {
  ByteBudget budget(100);
  EXPECT_TRUE(budget.TryAcquire(70));
  budget.Release(70);
  EXPECT_TRUE(budget.TryAcquire(10));
  EXPECT_EQ(budget.current_bytes(), 10u);
  EXPECT_EQ(budget.high_water_bytes(), 70u);
}

TEST(ByteLeaseTest, ReturnsItsBytesToTheBudget) {
  ByteBudget budget(100);
  {
    ByteLease lease(&budget);
    EXPECT_TRUE(lease.Grow(30));
    EXPECT_TRUE(lease.GrowTo(50));
    EXPECT_TRUE(lease.GrowTo(10));
    EXPECT_EQ(lease.held_bytes(), 50u);
    EXPECT_FALSE(lease.Grow(51));
    EXPECT_EQ(lease.held_bytes(), 50u);
    ByteLease moved = std::move(lease);
    EXPECT_EQ(moved.held_bytes(), 50u);
    moved.ShrinkTo(20);
    EXPECT_EQ(budget.current_bytes(), 20u);
  }
  EXPECT_EQ(budget.current_bytes(), 0u);
}

TEST(ByteLeaseTest, GrantsEverythingWithoutABudget) {
  ByteLease lease;
  EXPECT_TRUE(lease.Grow(uint64_t{1} << 50));
  EXPECT_FALSE(lease.Grow(std::numeric_limits<uint64_t>::max()));
}

TEST(ByteBudgetTest, ThreadsNeverExceedTheCapacity) {
  ByteBudget budget(1000);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&budget] {
      for (uint64_t round = 0; round < 20'000; ++round) {
        ByteLease lease(&budget);
        if (lease.Grow(round % 400)) {
          EXPECT_LE(budget.current_bytes(), 1000u);
        }
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(budget.current_bytes(), 0u);
  EXPECT_LE(budget.high_water_bytes(), 1000u);
}

}  // namespace
}  // namespace flarestack::base
