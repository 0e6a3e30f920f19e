// SPDX-License-Identifier: Apache-2.0
#include "record/code/load_budget.h"

#include <gtest/gtest.h>

namespace flarestack::record::agent {
namespace {

using std::chrono::seconds;

constexpr LoadBudget::Time kStart{seconds(1000)};

TEST(LoadBudgetTest, AllowsABurstThenAShareOfTheTime) {
  LoadBudget budget({.burst = seconds(4), .divisor = 4});
  EXPECT_TRUE(budget.HasLeft(kStart));
  budget.Spend(seconds(3));
  EXPECT_TRUE(budget.HasLeft(kStart));
  budget.Spend(seconds(2));  // one second more than was left
  EXPECT_FALSE(budget.HasLeft(kStart));
  EXPECT_FALSE(budget.HasLeft(kStart + seconds(4)));
  EXPECT_TRUE(budget.HasLeft(kStart + seconds(5)));
}

TEST(LoadBudgetTest, IdleTimeSavesUpNoMoreThanABurst) {
  LoadBudget budget({.burst = seconds(4), .divisor = 4});
  EXPECT_TRUE(budget.HasLeft(kStart));
  EXPECT_TRUE(budget.HasLeft(kStart + seconds(10'000)));
  budget.Spend(seconds(4));
  EXPECT_FALSE(budget.HasLeft(kStart + seconds(10'000)));
}

}  // namespace
}  // namespace flarestack::record::agent
