// SPDX-License-Identifier: Apache-2.0
#include "record/kernel/slab.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace flarestack::record::agent {
namespace {

using std::chrono::milliseconds;

constexpr Slab::Time kStart{};

TEST(SlabTest, RangesDoNotCrossChunks) {
  Slab slab({.entries = 32, .entries_per_chunk = 16});
  EXPECT_EQ(slab.Take(10, kStart), 0u);
  EXPECT_EQ(slab.Take(10, kStart), 16u);
  EXPECT_EQ(slab.Take(6, kStart), 10u);
  EXPECT_EQ(slab.Take(7, kStart), std::nullopt);
  EXPECT_EQ(slab.Take(6, kStart), 26u);
  EXPECT_EQ(slab.taken(), 32u);
}

TEST(SlabTest, FreedRangeRestsBeforeReuse) {
  Slab slab({.entries = 16, .entries_per_chunk = 16, .rest = milliseconds(100)});
  EXPECT_EQ(slab.Take(16, kStart), 0u);
  slab.Free(0, 16, kStart);
  EXPECT_EQ(slab.Take(1, kStart + milliseconds(99)), std::nullopt);
  EXPECT_EQ(slab.Take(1, kStart + milliseconds(100)), 0u);
}

TEST(SlabTest, CannotAllocateMoreThanAChunk) {
  Slab slab({.entries = 32, .entries_per_chunk = 16});
  EXPECT_EQ(slab.Take(17, kStart), std::nullopt);
}

TEST(SlabTest, AllocatesNoRangeTwiceAndRecoversAll) {
  Slab slab({.entries = 256, .entries_per_chunk = 64, .rest = milliseconds(0)});
  std::mt19937 random(7);
  std::vector<std::pair<uint32_t, uint32_t>> held;
  std::vector<bool> is_held(256);
  for (int round = 0; round < 5000; ++round) {
    if (random() % 2 == 0 || held.empty()) {
      const auto count = static_cast<uint32_t>(1 + random() % 20);
      const std::optional<uint32_t> begin = slab.Take(count, kStart);
      if (!begin)
        continue;
      EXPECT_EQ(*begin / 64, (*begin + count - 1) / 64);
      for (uint32_t i = *begin; i < *begin + count; ++i) {
        ASSERT_FALSE(is_held[i]);
        is_held[i] = true;
      }
      held.emplace_back(*begin, count);
    } else {
      const size_t victim = random() % held.size();
      const auto [begin, count] = held[victim];
      for (uint32_t i = begin; i < begin + count; ++i)
        is_held[i] = false;
      slab.Free(begin, count, kStart);
      held[victim] = held.back();
      held.pop_back();
    }
  }
  for (const auto& [begin, count] : held)
    slab.Free(begin, count, kStart);
  for (int chunk = 0; chunk < 4; ++chunk)
    EXPECT_TRUE(slab.Take(64, kStart).has_value());
}

}  // namespace
}  // namespace flarestack::record::agent
