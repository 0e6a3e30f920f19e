// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/frame_table.h"

#include <gtest/gtest.h>

namespace flarestack::record::runtime {
namespace {

NamedFrame Frame(const std::string& name, int64_t line) {
  return {.type = "cpython", .functions = {{.name = name, .file = "a.py", .line = line}}};
}

TEST(FrameTableTest, SameFrameHasOneWord) {
  FrameTable table;
  const uint64_t word = table.Intern(Frame("f", 1));
  EXPECT_TRUE(IsNamed(word));
  EXPECT_EQ(table.Intern(Frame("f", 1)), word);
  EXPECT_NE(table.Intern(Frame("f", 2)), word);
  EXPECT_EQ(table.Get(word).functions[0].name, "f");
}

TEST(FrameTableTest, SweepDropsFramesThatNobodyHoldsAndReusesNoWord) {
  FrameTable table;
  const uint64_t held = table.Intern(Frame("held", 1));
  const uint64_t dropped = table.Intern(Frame("dropped", 1));
  table.Hold(held);
  table.Sweep();
  EXPECT_TRUE(table.Has(held));
  EXPECT_FALSE(table.Has(dropped));
  EXPECT_NE(table.Intern(Frame("dropped", 1)), dropped);
  table.Release(held);
  table.Sweep();
  EXPECT_EQ(table.size(), 0u);
}

}  // namespace
}  // namespace flarestack::record::runtime
