// SPDX-License-Identifier: Apache-2.0
#include "store/chunk.h"

#include <gtest/gtest.h>

#include <random>

namespace flarestack::store {
namespace {

constexpr uint64_t kPeriod = 50'000'000;

// What a host profiler sees: CPUs that tick every 50 ms, each with its own phase and a little
// noise.
Chunk TimerChunk(uint32_t seed, int ticks) {
  std::mt19937 random(seed);
  Chunk chunk;
  chunk.period = kPeriod;
  for (uint32_t cpu = 0; cpu < 4; ++cpu)
    chunk.attribute_sets.push_back({{.key = 3, .attribute = 10 + cpu}, {.key = 4, .attribute = 9}});
  chunk.profiles.push_back({.time = 1'700'000'000'000'000'000, .duration = 5'000'000'000});
  for (int tick = 0; tick < ticks; ++tick) {
    for (uint32_t cpu = 0; cpu < 4; ++cpu) {
      if (random() % 3 != 0)
        continue;
      chunk.rows.push_back({.time = 1'700'000'000'000'000'000 +
                                    static_cast<uint64_t>(tick) * kPeriod + cpu * 17'000 +
                                    random() % 2'000,
                            .stack = 1 + static_cast<uint32_t>(random() % 200),
                            .attributes = 1 + cpu});
    }
  }
  Canonicalize(&chunk);
  return chunk;
}

Chunk RandomChunk(uint32_t seed) {
  std::mt19937 random(seed);
  Chunk chunk;
  chunk.period = random() % 2 == 0 ? kPeriod : 1;
  for (uint32_t i = 0; i <= random() % 4; ++i) {
    chunk.profiles.push_back({.time = random(),
                              .duration = random(),
                              .attributes = {{.key = 5, .attribute = 6}},
                              .has_timestamps = random() % 2 == 0,
                              .has_values = random() % 2 == 0,
                              .profile_id = random() % 2 == 0 ? std::string(16, 'x') : ""});
  }
  chunk.links.resize(random() % 3);
  for (ChunkLink& link : chunk.links)
    link.trace_id[0] = static_cast<char>(random());
  for (uint32_t i = 0; i < random() % 5; ++i) {
    ChunkAttributes& set = chunk.attribute_sets.emplace_back();
    for (uint32_t key = 1; key < 5; ++key) {
      if (random() % 2 == 0)
        set.push_back({.key = key - key % 2, .attribute = 1 + static_cast<uint32_t>(random() % 4)});
    }
    std::ranges::sort(set);
  }
  for (uint32_t i = 0; i < random() % 50; ++i) {
    chunk.rows.push_back(
        {.time = random(),
         .value = static_cast<int64_t>(random()) - (int64_t{1} << 31),
         .stack = static_cast<uint32_t>(random() % 8),
         .attributes = static_cast<uint32_t>(random() % chunk.attribute_sets.size()),
         .link = static_cast<uint32_t>(random() % (chunk.links.size() + 1)),
         .profile = static_cast<uint32_t>(random() % chunk.profiles.size())});
  }
  Canonicalize(&chunk);
  return chunk;
}

TEST(Chunk, ReadsWhatItWrites) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const std::string bytes = EncodeChunk(RandomChunk(seed));
    Chunk decoded;
    ASSERT_TRUE(DecodeChunk(bytes, &decoded).ok()) << seed;
    EXPECT_EQ(EncodeChunk(decoded), bytes) << seed;
  }
}

TEST(Chunk, TakesExtremeNumbers) {
  Chunk chunk;
  chunk.period = kPeriod;
  chunk.profiles.push_back({.time = UINT64_MAX, .duration = UINT64_MAX});
  chunk.rows = {{.time = 0, .value = INT64_MIN}, {.time = UINT64_MAX, .value = INT64_MAX}};
  Chunk decoded;
  ASSERT_TRUE(DecodeChunk(EncodeChunk(chunk), &decoded).ok());
  EXPECT_EQ(decoded.rows[1].time, UINT64_MAX);
  EXPECT_EQ(decoded.rows[0].value, INT64_MIN);
  EXPECT_EQ(decoded.profiles, chunk.profiles);
}

TEST(Chunk, MergesInAnyOrderToTheSameBytes) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    const Chunk a = RandomChunk(seed);
    const Chunk b = RandomChunk(seed + 1000);
    const Chunk c = RandomChunk(seed + 2000);
    const auto join = [](std::initializer_list<const Chunk*> parts) {
      Chunk all;
      for (const Chunk* part : parts)
        AppendChunk(*part, &all);
      all.period = kPeriod;
      Canonicalize(&all);
      return all;
    };
    const std::string at_once = EncodeChunk(join({&a, &b, &c}));
    EXPECT_EQ(EncodeChunk(join({&c, &a, &b})), at_once);
    const Chunk pair = join({&b, &c});
    EXPECT_EQ(EncodeChunk(join({&pair, &a})), at_once);
  }
}

TEST(Chunk, IsSmallWhereTimersTick) {
  const Chunk chunk = TimerChunk(1, 20'000);
  const double bytes_per_row =
      static_cast<double>(EncodeChunk(chunk).size()) / static_cast<double>(chunk.rows.size());
  EXPECT_LT(bytes_per_row, 7);  // before compression
}

TEST(Chunk, RefusesWhatIsNoChunk) {
  const std::string bytes = EncodeChunk(TimerChunk(2, 20));
  Chunk decoded;
  EXPECT_FALSE(DecodeChunk("", &decoded).ok());
  EXPECT_FALSE(DecodeChunk("\x02", &decoded).ok());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(DecodeChunk(bytes.substr(0, size), &decoded).ok()) << size;
  EXPECT_FALSE(DecodeChunk(bytes + "x", &decoded).ok());
}

}  // namespace
}  // namespace flarestack::store
