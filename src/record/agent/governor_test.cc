// SPDX-License-Identifier: Apache-2.0
#include "record/agent/governor.h"

#include <gtest/gtest.h>

namespace flarestack::record::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Updates the governor once per simulated second with the given CPU use.
class CpuTicker {
 public:
  explicit CpuTicker(Governor* governor) : governor_(*governor) { governor_.Update(cpu_, now_); }

  bool After(milliseconds used) {
    cpu_ += used;
    now_ += seconds(1);
    return governor_.Update(cpu_, now_);
  }

 private:
  Governor& governor_;
  std::chrono::nanoseconds cpu_{0};
  std::chrono::steady_clock::time_point now_{};
};

TEST(GovernorTest, FirstUpdateChangesNothing) {
  Governor governor(0.01, 2);
  EXPECT_FALSE(governor.Update(seconds(100), std::chrono::steady_clock::time_point(seconds(1))));
  EXPECT_EQ(governor.state().steps_down, 0u);
}

TEST(GovernorTest, UpdateWithoutElapsedTimeChangesNothing) {
  Governor governor(0.01, 2);
  const std::chrono::steady_clock::time_point now(seconds(1));
  governor.Update(seconds(1), now);
  EXPECT_FALSE(governor.Update(seconds(2), now));
}

TEST(GovernorTest, BudgetIsAShareOfAllProcessors) {
  Governor governor(0.01, 2);
  CpuTicker ticker(&governor);
  EXPECT_FALSE(ticker.After(milliseconds(19)));
  EXPECT_DOUBLE_EQ(governor.state().cpu_share, 0.0095);
  EXPECT_TRUE(ticker.After(milliseconds(21)));
  EXPECT_EQ(governor.state().steps_down, 1u);
}

TEST(GovernorTest, ReducesWaitsFirstAndThenCopiesAboveTheBudget) {
  Governor governor(0.01, 1);
  CpuTicker ticker(&governor);
  EXPECT_TRUE(ticker.After(milliseconds(50)));
  EXPECT_EQ(governor.state().wait_unit_ns, 20'000'000u);
  EXPECT_EQ(governor.state().stack_copies_max, 250u);
  while (governor.state().wait_unit_ns < 10'000'000'000)
    ASSERT_TRUE(ticker.After(milliseconds(50)));
  EXPECT_EQ(governor.state().stack_copies_max, 250u);
  EXPECT_TRUE(ticker.After(milliseconds(50)));
  EXPECT_EQ(governor.state().stack_copies_max, 125u);
  while (ticker.After(milliseconds(50))) {
  }
  EXPECT_EQ(governor.state().stack_copies_max, 10u);
  EXPECT_EQ(governor.state().wait_unit_ns, 10'000'000'000u);
}

TEST(GovernorTest, RestoresInReverseOrderWellBelowTheBudget) {
  Governor governor(0.01, 1);
  CpuTicker ticker(&governor);
  while (ticker.After(milliseconds(50))) {
  }
  EXPECT_TRUE(ticker.After(milliseconds(4)));
  EXPECT_EQ(governor.state().stack_copies_max, 20u);
  EXPECT_EQ(governor.state().wait_unit_ns, 10'000'000'000u);
  while (ticker.After(milliseconds(4))) {
  }
  EXPECT_EQ(governor.state().stack_copies_max, 250u);
  EXPECT_EQ(governor.state().wait_unit_ns, 10'000'000u);
}

TEST(GovernorTest, ChangesNothingBetweenHalfAndFullBudget) {
  Governor governor(0.01, 1);
  CpuTicker ticker(&governor);
  ticker.After(milliseconds(50));
  EXPECT_FALSE(ticker.After(milliseconds(6)));
  EXPECT_FALSE(ticker.After(milliseconds(9)));
  EXPECT_EQ(governor.state().wait_unit_ns, 20'000'000u);
}

}  // namespace
}  // namespace flarestack::record::agent
