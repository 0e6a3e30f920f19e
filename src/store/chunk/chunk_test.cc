// SPDX-License-Identifier: Apache-2.0
#include "store/chunk/chunk.h"

#include <gtest/gtest.h>

#include <random>

#include "absl/strings/escaping.h"
#include "store/chunk/chunk_totals.h"

namespace flarestack::store {
namespace {

constexpr uint64_t kPeriod = 50'000'000;

// The output of a host profiler: CPUs that tick every 50 ms, each with its own phase and a little
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

TEST(Chunk, RoundTrips) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const std::string bytes = EncodeChunk(RandomChunk(seed));
    Chunk decoded;
    ASSERT_TRUE(DecodeChunk(bytes, &decoded).ok()) << seed;
    EXPECT_EQ(EncodeChunk(decoded), bytes) << seed;
  }
}

ChunkTotals TotalsOfRows(const Chunk& chunk) {
  StackSummer summer;
  for (const ChunkRow& row : chunk.rows)
    summer.Add(row.stack, row.value, 1);
  return {.sums = std::move(summer).Finish(),
          .profiles = chunk.profiles,
          .rows = chunk.rows.size(),
          .is_exact = true};
}

void ExpectTotals(const ChunkTotals& expected, const std::string& bytes) {
  ChunkTotals totals;
  ASSERT_TRUE(AddUpChunk(bytes, &totals).ok());
  EXPECT_EQ(totals.sums, expected.sums);
  EXPECT_EQ(totals.profiles, expected.profiles);
  EXPECT_EQ(totals.rows, expected.rows);
  EXPECT_EQ(totals.is_exact, expected.is_exact);
}

TEST(Chunk, TotalsMatchTheRows) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const Chunk chunk = RandomChunk(seed);
    ExpectTotals(TotalsOfRows(chunk), EncodeChunk(chunk));
  }
  for (const int ticks : {1, 500, 5'000}) {
    SCOPED_TRACE(ticks);
    Chunk chunk = TimerChunk(1, ticks);
    ExpectTotals(TotalsOfRows(chunk), EncodeChunk(chunk));
    for (ChunkRow& row : chunk.rows)
      row.value = static_cast<int64_t>(row.time % 1'000'003) - 500'000;
    ExpectTotals(TotalsOfRows(chunk), EncodeChunk(chunk));
  }
  Chunk empty;
  Canonicalize(&empty);
  ExpectTotals({.is_exact = true}, EncodeChunk(empty));
}

TEST(Chunk, ReportsSaturatedSums) {
  Chunk chunk;
  chunk.profiles.push_back({.time = 0});
  chunk.rows = {{.time = 1, .value = INT64_MAX, .stack = 3}, {.time = 2, .value = 5, .stack = 3}};
  ChunkTotals totals;
  ASSERT_TRUE(AddUpChunk(EncodeChunk(chunk), &totals).ok());
  EXPECT_FALSE(totals.is_exact);
  EXPECT_EQ(totals.sums, TotalsOfRows(chunk).sums);
}

// The example of docs/formats/chunk.md.
TEST(Chunk, WritesTheSpecifiedBytes) {
  constexpr uint64_t kNewYear = 1'767'225'600'000'000'000;
  Chunk chunk;
  chunk.period = kPeriod;
  chunk.profiles.push_back({.time = kNewYear, .duration = 100'000'000});
  chunk.attribute_sets = {{{.key = 4, .attribute = 1}, {.key = 5, .attribute = 3}},
                          {{.key = 4, .attribute = 2}, {.key = 5, .attribute = 3}}};
  chunk.rows = {{.time = kNewYear + 10'017'000, .stack = 1, .attributes = 0},
                {.time = kNewYear + 10'034'000, .stack = 2, .attributes = 1},
                {.time = kNewYear + 60'017'400, .stack = 1, .attributes = 0},
                {.time = kNewYear + 60'033'900, .stack = 1, .attributes = 1}};
  Canonicalize(&chunk);
  EXPECT_EQ(absl::BytesToHexString(EncodeChunk(chunk)),
            "030480e1eb178080e8ef9eca9cc318ec96d01c"
            "020101000301000100020102000202"
            "80e8c9d5830100000100010100d0e3c609a006888802c701"
            "010001018080d0dfbd94b986318084af5f0002"
            "0e0204020101000001020501030101");
}

TEST(Chunk, HeaderContainsTheTimeBounds) {
  Chunk chunk;
  chunk.profiles.push_back({.time = 1'000});
  chunk.rows = {{.time = 2'000}, {.time = 5'000}};
  EXPECT_EQ(ReadChunkBounds(EncodeChunk(chunk)), (ChunkBounds{.first = 1'000, .last = 5'000}));
  EXPECT_EQ(ReadChunkBounds(EncodeChunk({})), (ChunkBounds{.first = 0, .last = 0}));
  // Without bounds in the head, any time is possible.
  EXPECT_EQ(ReadChunkBounds(""), ChunkBounds());
  EXPECT_EQ(ReadChunkBounds("\x03\x01"), ChunkBounds());
}

// Version 2 had no times in its head.
TEST(Chunk, ReadsThePreviousVersion) {
  Chunk chunk;
  chunk.period = kPeriod;
  chunk.profiles.push_back({.time = 0});
  chunk.rows = {{.time = 0, .stack = 7}, {.time = 5, .stack = 8}};
  std::string bytes = EncodeChunk(chunk);
  ASSERT_EQ(bytes.substr(6, 2), std::string("\x00\x05", 2));
  bytes = "\x02" + bytes.substr(1, 5) + bytes.substr(8);
  Chunk decoded;
  ASSERT_TRUE(DecodeChunk(bytes, &decoded).ok());
  EXPECT_EQ(EncodeChunk(decoded), EncodeChunk(chunk));
  EXPECT_EQ(ReadChunkBounds(bytes), ChunkBounds());
}

TEST(Chunk, RejectsAWrongHeader) {
  Chunk chunk;
  chunk.profiles.push_back({.time = 0});
  chunk.rows = {{.time = 5}};
  std::string bytes = EncodeChunk(chunk);
  ASSERT_EQ(bytes.substr(3, 2), std::string("\x00\x05", 2));
  bytes[4] = '\x04';
  Chunk decoded;
  EXPECT_FALSE(DecodeChunk(bytes, &decoded).ok());
}

TEST(Chunk, ReportsGroupsOfAscendingTimes) {
  const Chunk chunk = TimerChunk(1, 2'000);
  Chunk decoded;
  for (const ChunkColumns columns : {ChunkColumns::kAll, ChunkColumns::kAllButAttributes}) {
    ASSERT_TRUE(DecodeChunk(EncodeChunk(chunk), &decoded, columns).ok());
    EXPECT_EQ(decoded.group_ends.size(), 4u);  // one per CPU
    ASSERT_EQ(decoded.group_ends.back(), decoded.rows.size());
    size_t begin = 0;
    for (const size_t end : decoded.group_ends) {
      EXPECT_TRUE(std::is_sorted(decoded.rows.begin() + static_cast<ptrdiff_t>(begin),
                                 decoded.rows.begin() + static_cast<ptrdiff_t>(end),
                                 [](const auto& a, const auto& b) { return a.time < b.time; }));
      begin = end;
    }
  }
  AppendChunk(chunk, &decoded);
  EXPECT_TRUE(decoded.group_ends.empty());
}

// Long columns are compressed, unlike the short ones above.
TEST(Chunk, ReadsLongChunks) {
  for (uint32_t seed = 0; seed < 5; ++seed) {
    Chunk chunk = TimerChunk(seed, 20'000);
    for (size_t i = 0; i < chunk.rows.size(); ++i) {
      if (seed > 2)
        chunk.rows[i].value = static_cast<int64_t>(i * i) - 5000;
      if (seed > 3 && i % 5 == 0) {
        ChunkLink& link = chunk.links.emplace_back();
        link.trace_id[0] = static_cast<char>(i);
        link.span_id[1] = static_cast<char>(i >> 8);
        chunk.rows[i].link = static_cast<uint32_t>(chunk.links.size());
      }
    }
    Canonicalize(&chunk);
    const std::string bytes = EncodeChunk(chunk);
    Chunk decoded;
    ASSERT_TRUE(DecodeChunk(bytes, &decoded).ok());
    EXPECT_EQ(EncodeChunk(decoded), bytes);
    Canonicalize(&decoded);
    ASSERT_EQ(decoded.rows.size(), chunk.rows.size());
    for (size_t i = 0; i < chunk.rows.size(); ++i) {
      const ChunkRow& a = decoded.rows[i];
      const ChunkRow& b = chunk.rows[i];
      ASSERT_TRUE(a.time == b.time && a.value == b.value && a.stack == b.stack &&
                  a.attributes == b.attributes && a.link == b.link && a.profile == b.profile)
          << i;
    }
    for (size_t size = 1; size < bytes.size(); size += bytes.size() / 50)
      EXPECT_FALSE(DecodeChunk(std::string_view(bytes).substr(0, size), &decoded).ok()) << size;
  }
}

TEST(Chunk, RoundTripsExtremeNumbers) {
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

TEST(Chunk, MergeOrderDoesNotChangeTheBytes) {
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

TEST(Chunk, IsSmallForTimerSamples) {
  const Chunk chunk = TimerChunk(1, 20'000);
  const double bytes_per_row =
      static_cast<double>(EncodeChunk(chunk).size()) / static_cast<double>(chunk.rows.size());
  EXPECT_LT(bytes_per_row, 3.6);
}

TEST(Chunk, RejectsInvalidBytes) {
  const std::string bytes = EncodeChunk(TimerChunk(2, 20));
  const auto expect_rejected = [](const std::string& wrong) {
    Chunk decoded;
    EXPECT_FALSE(DecodeChunk(wrong, &decoded).ok()) << wrong.size();
    ChunkTotals totals;
    EXPECT_FALSE(AddUpChunk(wrong, &totals).ok()) << wrong.size();
  };
  expect_rejected("\x04");
  for (size_t size = 0; size < bytes.size(); ++size)
    expect_rejected(bytes.substr(0, size));
  expect_rejected(bytes + "x");
}

}  // namespace
}  // namespace flarestack::store
