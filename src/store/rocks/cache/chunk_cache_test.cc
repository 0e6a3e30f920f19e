// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/cache/chunk_cache.h"

#include <gtest/gtest.h>

namespace flarestack::store::rocks {
namespace {

std::string Bytes(uint32_t stack, size_t rows) {
  Chunk chunk;
  chunk.profiles.resize(1);
  for (size_t i = 0; i < rows; ++i)
    chunk.rows.push_back({.time = i, .stack = stack});
  Canonicalize(&chunk);
  return EncodeChunk(chunk);
}

TEST(ChunkCacheTest, DecodesOnceAndStaysWithinItsByteLimit) {
  ChunkCache cache(100'000);
  const std::string one = Bytes(1, 500);
  const auto first = cache.Decode(NamedBytes(one), ChunkColumns::kAll);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ((*first)->rows.size(), 500u);
  EXPECT_EQ(*cache.Decode(NamedBytes(one), ChunkColumns::kAll), *first);
  EXPECT_EQ(*cache.Decode(NamedBytes(one), ChunkColumns::kAllButAttributes), *first);
  for (uint32_t stack = 2; stack < 50; ++stack) {
    ASSERT_TRUE(cache.Decode(NamedBytes(Bytes(stack, 500)), ChunkColumns::kAll).ok());
    EXPECT_LE(cache.bytes(), 100'000u);
  }
  EXPECT_NE(*cache.Decode(NamedBytes(one), ChunkColumns::kAll), *first);  // was evicted
}

TEST(ChunkCacheTest, ComputesTotalsOnceAndCachesNoRows) {
  ChunkCache cache(100'000);
  Chunk chunk;
  chunk.profiles = {{.time = 3, .duration = 5}};
  for (uint32_t i = 0; i < 600; ++i)
    chunk.rows.push_back({.time = i, .value = i % 2 + 1, .stack = i % 3});
  Canonicalize(&chunk);
  const std::string bytes = EncodeChunk(chunk);
  const auto totals = cache.AddUp(NamedBytes(bytes));
  ASSERT_TRUE(totals.ok());
  EXPECT_EQ((*totals)->rows, 600u);
  EXPECT_EQ((*totals)->profiles, chunk.profiles);
  EXPECT_EQ((*totals)->sums.stacks,
            (std::vector<StackSum>{{.stack = 0, .value = 300, .events = 200},
                                   {.stack = 1, .value = 300, .events = 200},
                                   {.stack = 2, .value = 300, .events = 200}}));
  EXPECT_LT(cache.bytes(), 1000u);
  EXPECT_EQ(*cache.AddUp(NamedBytes(bytes)), *totals);

  // Cached rows give the same totals.
  ChunkCache other(100'000);
  ASSERT_TRUE(other.Decode(NamedBytes(bytes), ChunkColumns::kAll).ok());
  EXPECT_EQ((*other.AddUp(NamedBytes(bytes)))->sums, (*totals)->sums);
}

TEST(ChunkCacheTest, SumsNearTheirLimitsAreNotExact) {
  for (const int64_t value : {INT64_MAX - 1, INT64_MAX, INT64_MIN}) {
    Chunk chunk;
    chunk.profiles.resize(1);
    chunk.rows = {{.time = 1, .value = value, .stack = 1}};
    const std::string alone = EncodeChunk(chunk);
    chunk.rows.push_back({.time = 2, .value = -1, .stack = 1});
    const std::string two = EncodeChunk(chunk);
    ChunkCache cache(100'000);
    EXPECT_EQ((*cache.AddUp(NamedBytes(alone)))->is_exact, value == INT64_MAX - 1);
    EXPECT_FALSE((*cache.AddUp(NamedBytes(two)))->is_exact);
  }
}

TEST(ChunkCacheTest, CachesTimesAndLinksBesideTheRows) {
  ChunkCache cache(100'000);
  const std::string bytes = Bytes(1, 500);
  const NamedBytes named(bytes);
  const auto times = cache.Times(named);
  const auto links = cache.Links(named);
  ASSERT_TRUE(times.ok() && links.ok());
  EXPECT_EQ((*times)->times.size(), 500u);
  EXPECT_EQ((*links)->rows, 500u);
  EXPECT_EQ(*cache.Times(named), *times);
  EXPECT_EQ(*cache.Links(named), *links);
  EXPECT_LT(cache.bytes(), 500 * sizeof(ChunkRow) / 2);
  EXPECT_EQ((*cache.Decode(named, ChunkColumns::kAll))->rows.size(), 500u);
}

TEST(ChunkCacheTest, DoesNotCacheOversizedOrBrokenChunks) {
  ChunkCache cache(1000);
  EXPECT_TRUE(cache.Decode(NamedBytes(Bytes(1, 500)), ChunkColumns::kAll).ok());
  EXPECT_EQ(cache.bytes(), 0u);
  EXPECT_FALSE(cache.Decode(NamedBytes("nonsense"), ChunkColumns::kAll).ok());
  EXPECT_FALSE(cache.AddUp(NamedBytes("nonsense")).ok());
  EXPECT_FALSE(cache.Times(NamedBytes("nonsense")).ok());
  EXPECT_FALSE(cache.Links(NamedBytes("nonsense")).ok());
}

}  // namespace
}  // namespace flarestack::store::rocks
