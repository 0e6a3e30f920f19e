// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>
#include <unordered_map>
#include <vector>

#include "sdk/heap/live_table_signal.h"
#include "sdk/memory_at.h"

namespace flarestack::sdk {
namespace {

const void* Address(uintptr_t number) { return MemoryAt<char>(number * 16); }

TEST(LiveTableTest, KnowsWhatWasAddedUntilItIsRemoved) {
  ASSERT_TRUE(OpenLiveTable());
  const LiveSlot slot = AddLive(Address(1));
  EXPECT_TRUE(IsLive(slot));
  EXPECT_FALSE(RemoveLive(Address(2)));
  EXPECT_TRUE(RemoveLive(Address(1)));
  EXPECT_FALSE(IsLive(slot));
  EXPECT_FALSE(RemoveLive(Address(1)));
}

TEST(LiveTableTest, AnAddressThatIsUsedAgainIsAnotherEntry) {
  ASSERT_TRUE(OpenLiveTable());
  const LiveSlot first = AddLive(Address(7));
  RemoveLive(Address(7));
  const LiveSlot second = AddLive(Address(7));
  EXPECT_FALSE(IsLive(first));
  EXPECT_TRUE(IsLive(second));
  RemoveLive(Address(7));
}

TEST(LiveTableTest, AFullTableAddsNothingAndKeepsTheRest) {
  ASSERT_TRUE(OpenLiveTable());
  std::unordered_map<uintptr_t, LiveSlot> added;
  size_t rejected = 0;
  for (uintptr_t i = 1; i <= kLiveSlots + 1000; ++i) {
    const LiveSlot slot = AddLive(Address(i));
    if (slot.generation == 0)
      ++rejected;
    else
      added[i] = slot;
  }
  EXPECT_GE(rejected, 1000);
  EXPECT_GT(added.size(), kLiveSlots * 9 / 10);
  for (const auto& [i, slot] : added) {
    EXPECT_TRUE(IsLive(slot));
    EXPECT_TRUE(RemoveLive(Address(i)));
  }
}

TEST(LiveTableTest, ConcurrentThreadsLoseNothing) {
  ASSERT_TRUE(OpenLiveTable());
  std::vector<std::thread> threads;
  for (uintptr_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([thread] {
      for (uintptr_t i = 1; i <= 20'000; ++i) {
        const void* const address = Address((thread << 32) + i % 500 + 1);
        const LiveSlot slot = AddLive(address);
        ASSERT_NE(slot.generation, 0);
        ASSERT_TRUE(IsLive(slot));
        ASSERT_TRUE(RemoveLive(address));
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
}

}  // namespace
}  // namespace flarestack::sdk
