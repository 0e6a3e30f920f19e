// SPDX-License-Identifier: Apache-2.0
#include "base/memory/arena.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace flarestack::base {
namespace {

TEST(ArenaTest, CopyOutlivesItsSource) {
  Arena arena;
  std::string text = "main";
  const std::string_view copy = arena.Copy(text);
  text = "gone";
  EXPECT_EQ(copy, "main");
}

TEST(ArenaTest, EmptyTextNeedsNoMemory) {
  Arena arena;
  EXPECT_EQ(arena.Copy(""), "");
  EXPECT_EQ(arena.allocated_bytes(), 0U);
}

TEST(ArenaTest, ViewsStayValidWhenTheArenaGrowsOrMoves) {
  Arena arena;
  std::vector<std::string_view> views;
  views.reserve(100'000);
  for (int i = 0; i < 100'000; ++i)
    views.push_back(arena.Copy(std::to_string(i)));
  const Arena moved = std::move(arena);
  for (int i = 0; i < 100'000; ++i)
    ASSERT_EQ(views[static_cast<size_t>(i)], std::to_string(i));
  EXPECT_GE(moved.allocated_bytes(), 100'000U);
}

TEST(ArenaTest, TextLargerThanABlockGetsItsOwnBlock) {
  Arena arena;
  const std::string large(3 << 20, 'x');
  const std::string_view before = arena.Copy("before");
  EXPECT_EQ(arena.Copy(large), large);
  EXPECT_EQ(arena.Copy("after"), "after");
  EXPECT_EQ(before, "before");
}

TEST(ArenaTest, AdoptsABufferWithoutCopying) {
  Arena arena;
  std::string buffer(100, 'x');
  const char* const address = buffer.data();
  EXPECT_EQ(arena.Adopt(std::move(buffer)).data(), address);
}

TEST(ArenaTest, AdoptedShortTextSurvivesAMove) {
  Arena arena;
  const std::string_view view = arena.Adopt("abc");
  const Arena moved = std::move(arena);
  EXPECT_EQ(view, "abc");
}

}  // namespace
}  // namespace flarestack::base
