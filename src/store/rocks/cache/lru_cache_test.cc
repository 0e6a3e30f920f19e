// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/cache/lru_cache.h"

#include <gtest/gtest.h>

#include <memory>

namespace flarestack::store::rocks {
namespace {

std::shared_ptr<const int> Number(int number) { return std::make_shared<const int>(number); }

TEST(LruCache, EvictsTheLeastRecentlyUsedEntry) {
  LruCache<int, int> cache(100);
  cache.Add(1, Number(10), 40);
  cache.Add(2, Number(20), 40);
  EXPECT_EQ(*cache.Find(1), 10);
  cache.Add(3, Number(30), 40);
  EXPECT_EQ(cache.Find(2), nullptr);
  EXPECT_EQ(*cache.Find(1), 10);
  EXPECT_EQ(*cache.Find(3), 30);
  EXPECT_EQ(cache.bytes(), 80u);
}

TEST(LruCache, DoesNotCacheAnEntryOverHalfTheLimit) {
  LruCache<int, int> cache(100);
  cache.Add(1, Number(10), 40);
  cache.Add(2, Number(20), 51);
  EXPECT_EQ(cache.entry_bytes_max(), 50u);
  EXPECT_EQ(cache.Find(2), nullptr);
  EXPECT_EQ(*cache.Find(1), 10);
}

TEST(LruCache, OneEntryMayFillTheCacheIfAllowed) {
  LruCache<int, int> cache(100, 100);
  cache.Add(1, Number(10), 40);
  cache.Replace(2, Number(20), 100);
  EXPECT_EQ(cache.Find(1), nullptr);
  EXPECT_EQ(*cache.Find(2), 20);
  cache.Replace(2, Number(21), 101);  // too large to keep, so the key is gone
  EXPECT_EQ(cache.Find(2), nullptr);
  EXPECT_EQ(cache.bytes(), 0u);
}

}  // namespace
}  // namespace flarestack::store::rocks
