// SPDX-License-Identifier: Apache-2.0
#include "store/chunk/chunk_times.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace flarestack::store {
namespace {

enum class Values { kOne, kSame, kAny };

// Rows of several threads and profiles, some with a link.
std::string RandomChunk(uint32_t seed, uint64_t period, Values values) {
  std::mt19937 random(seed);
  const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  Chunk chunk;
  chunk.period = period;
  for (uint32_t i = 0; i < 3; ++i)
    chunk.profiles.push_back({.time = 1000 + i, .duration = i, .has_values = true});
  for (char i = 0; i < 4; ++i) {
    ChunkLink link;
    link.trace_id.fill(static_cast<char>(i + 1));
    link.span_id.fill(static_cast<char>(i + 10));
    chunk.links.push_back(link);
  }
  chunk.attribute_sets.clear();
  for (uint32_t i = 0; i < 5; ++i)
    chunk.attribute_sets.push_back({{.key = 1, .attribute = i + 1}});
  for (uint32_t i = 0; i < 700 + below(600); ++i) {
    chunk.rows.push_back({.time = 1000 + below(1 << 30),
                          .value = values == Values::kOne    ? 1
                                   : values == Values::kSame ? -7
                                                             : static_cast<int>(below(99)) - 9,
                          .stack = 1 + below(20),
                          .attributes = below(5),
                          .link = below(4) == 0 ? 1 + below(4) : 0,
                          .profile = below(3)});
  }
  Canonicalize(&chunk);
  return EncodeChunk(chunk);
}

TEST(ChunkTimes, MatchTheRows) {
  for (const uint64_t period : {uint64_t{1}, uint64_t{50'000}}) {
    for (const Values values : {Values::kOne, Values::kSame, Values::kAny}) {
      for (uint32_t seed = 0; seed < 5; ++seed) {
        const std::string bytes = RandomChunk(seed, period, values);
        Chunk chunk;
        ASSERT_TRUE(DecodeChunk(bytes, &chunk).ok());
        ChunkTimes times;
        ASSERT_TRUE(ReadChunkTimes(bytes, &times).ok());
        EXPECT_EQ(times.values.empty(), values != Values::kAny);
        ASSERT_EQ(times.times.size(), chunk.rows.size());
        for (size_t i = 0; i < chunk.rows.size(); ++i) {
          ASSERT_EQ(times.times[i], chunk.rows[i].time) << i;
          ASSERT_EQ(times.ValueOf(i), chunk.rows[i].value) << i;
        }
      }
    }
  }
}

TEST(ChunkLinks, MatchTheChunk) {
  for (const uint64_t period : {uint64_t{1}, uint64_t{50'000}}) {
    const std::string bytes = RandomChunk(3, period, Values::kAny);
    Chunk chunk;
    ASSERT_TRUE(DecodeChunk(bytes, &chunk).ok());
    ASSERT_FALSE(chunk.links.empty());
    ChunkLinks links;
    ASSERT_TRUE(ReadChunkLinks(bytes, &links).ok());
    EXPECT_EQ(links.links, chunk.links);
    EXPECT_EQ(links.profiles, chunk.profiles);
    EXPECT_EQ(links.rows, chunk.rows.size());
  }
}

TEST(ChunkTimes, EmptyChunkHasNone) {
  Chunk empty;
  Canonicalize(&empty);
  const std::string bytes = EncodeChunk(empty);
  ChunkTimes times;
  ASSERT_TRUE(ReadChunkTimes(bytes, &times).ok());
  EXPECT_TRUE(times.times.empty());
  ChunkLinks links;
  ASSERT_TRUE(ReadChunkLinks(bytes, &links).ok());
  EXPECT_TRUE(links.links.empty());
}

TEST(ChunkTimes, RejectATruncatedChunk) {
  const std::string bytes = RandomChunk(1, 50'000, Values::kAny);
  ChunkTimes times;
  ChunkLinks links;
  for (size_t length = 0; length < bytes.size() / 4; length += 1 + length / 16) {
    const std::string_view cut = std::string_view(bytes).substr(0, length);
    EXPECT_FALSE(ReadChunkTimes(cut, &times).ok()) << length;
    EXPECT_FALSE(ReadChunkLinks(cut, &links).ok()) << length;
  }
}

}  // namespace
}  // namespace flarestack::store
