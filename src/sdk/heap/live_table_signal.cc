// SPDX-License-Identifier: Apache-2.0
#include "sdk/heap/live_table_signal.h"

#include <sys/mman.h>

#include <array>
#include <atomic>

namespace flarestack::sdk {

constinit LiveCounters g_live_counters = {};

namespace {

constexpr size_t kBucketSlots = 8;  // one cache line of addresses
constexpr size_t kBuckets = kLiveSlots / kBucketSlots;
constexpr uintptr_t kClaimed = 1;  // a place that is being filled
// A counter that reached the top stays there: it could not be counted down correctly.
constexpr uint8_t kCounterMax = 255;

struct Bucket {
  std::array<std::atomic<uintptr_t>, kBucketSlots> addresses;
};

struct Table {
  std::array<Bucket, kBuckets> buckets;
  std::array<std::atomic<uint32_t>, kLiveSlots> generations;
};
std::atomic<Table*> g_table = nullptr;

uint64_t HashOf(uintptr_t address) {
  uint64_t hash = address >> 4;
  hash *= 0x9e3779b97f4a7c15;
  hash ^= hash >> 32;
  hash *= 0xbf58476d1ce4e5b9;
  return hash ^ (hash >> 29);
}

std::array<size_t, 2> BucketsOf(uintptr_t address) {
  const uint64_t hash = HashOf(address);
  return {hash % kBuckets, (hash >> 32) % kBuckets};
}

void CountUp(std::atomic<uint8_t>* counter) {
  uint8_t value = counter->load(std::memory_order_relaxed);
  while (value != kCounterMax &&
         !counter->compare_exchange_weak(value, static_cast<uint8_t>(value + 1),
                                         std::memory_order_relaxed)) {
  }
}

void CountDown(std::atomic<uint8_t>* counter) {
  uint8_t value = counter->load(std::memory_order_relaxed);
  while (value != kCounterMax && value != 0 &&
         !counter->compare_exchange_weak(value, static_cast<uint8_t>(value - 1),
                                         std::memory_order_relaxed)) {
  }
}

}  // namespace

bool OpenLiveTable() {
  if (g_table.load(std::memory_order_acquire) != nullptr)
    return true;
  void* const memory =
      mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  g_table.store(static_cast<Table*>(memory), std::memory_order_release);
  return true;
}

LiveSlot AddLive(const void* memory) {
  Table* const table = g_table.load(std::memory_order_acquire);
  if (table == nullptr)
    return {};
  const auto address = reinterpret_cast<uintptr_t>(memory);
  for (const size_t bucket : BucketsOf(address)) {
    for (size_t i = 0; i < kBucketSlots; ++i) {
      std::atomic<uintptr_t>& place = table->buckets[bucket].addresses[i];
      uintptr_t empty = 0;
      if (place.load(std::memory_order_relaxed) != 0 ||
          !place.compare_exchange_strong(empty, kClaimed, std::memory_order_acquire))
        continue;
      const size_t slot = bucket * kBucketSlots + i;
      uint32_t generation = table->generations[slot].fetch_add(1, std::memory_order_relaxed) + 1;
      if (generation == 0)  // after 2^32 entries; 0 means "not in the table"
        generation = table->generations[slot].fetch_add(1, std::memory_order_relaxed) + 1;
      CountUp(&g_live_counters[LiveCounterOf(memory)]);
      place.store(address, std::memory_order_release);
      return {.index = static_cast<uint32_t>(slot), .generation = generation};
    }
  }
  return {};
}

bool RemoveLive(const void* memory) {
  Table* const table = g_table.load(std::memory_order_acquire);
  if (table == nullptr || !MayBeLive(memory))
    return false;
  const auto address = reinterpret_cast<uintptr_t>(memory);
  for (const size_t bucket : BucketsOf(address)) {
    for (std::atomic<uintptr_t>& place : table->buckets[bucket].addresses) {
      if (place.load(std::memory_order_relaxed) != address)
        continue;
      place.store(0, std::memory_order_release);
      CountDown(&g_live_counters[LiveCounterOf(memory)]);
      return true;
    }
  }
  return false;
}

void ResetLiveTableAfterFork() {
  if (Table* const table = g_table.load(std::memory_order_acquire); table != nullptr)
    madvise(table, sizeof(Table), MADV_DONTNEED);
  for (auto& counter : g_live_counters)
    counter.store(0, std::memory_order_relaxed);
}

bool IsLive(LiveSlot slot) {
  const Table* const table = g_table.load(std::memory_order_acquire);
  if (table == nullptr || slot.generation == 0)
    return false;
  const std::atomic<uintptr_t>& place =
      table->buckets[slot.index / kBucketSlots].addresses[slot.index % kBucketSlots];
  return place.load(std::memory_order_acquire) > kClaimed &&
         table->generations[slot.index].load(std::memory_order_acquire) == slot.generation;
}

}  // namespace flarestack::sdk
