// SPDX-License-Identifier: Apache-2.0
#include "base/counters.h"

#include <gtest/gtest.h>

namespace flarestack::base {
namespace {

TEST(CountersTest, AreListedByName) {
  Counters counters;
  counters.Add("lost_total", {{"reason", "a \"b\""}}, 2);
  counters.Add("lost_total", {{"reason", "c"}, {"signal", "logs"}}, 1);
  counters.Add("lost_total", {{"reason", "c"}, {"signal", "logs"}}, 4);
  counters.Add("kept_total", {}, 7);
  const auto lost = counters.Find("lost_total");
  ASSERT_EQ(lost.size(), 2u);
  EXPECT_EQ(lost[0].Label("reason"), "a \"b\"");
  EXPECT_EQ(lost[0].value, 2u);
  EXPECT_EQ(lost[1].Label("signal"), "logs");
  EXPECT_EQ(lost[1].value, 5u);
  EXPECT_EQ(lost[1].Label("tenant"), "");
  EXPECT_TRUE(counters.Find("other_total").empty());
  EXPECT_EQ(counters.Text(),
            "# TYPE kept_total counter\nkept_total 7\n# TYPE lost_total counter\n"
            "lost_total{reason=\"a \\\"b\\\"\"} 2\nlost_total{reason=\"c\",signal=\"logs\"} 5\n");
}

}  // namespace
}  // namespace flarestack::base
