// SPDX-License-Identifier: Apache-2.0
#include "elf/jit/perf_map.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace flarestack::elf {
namespace {

std::string ToText(const PerfMap& map) {
  std::string text;
  for (const PerfMap::Range& range : map.ranges())
    base::StrAppend(&text, base::Hex(range.begin), "-", base::Hex(range.end), " ", map.name(range),
                    "\n");
  return text;
}

std::string Read(std::string text) {
  const auto map = PerfMap::Parse(std::move(text));
  return map.ok() ? ToText(*map) : map.status().ToString();
}

TEST(PerfMap, NamesExtendToTheEndOfTheLine) {
  const auto map = PerfMap::Parse(
      "7f0000001000 40 LazyCompile:~add /srv/app.js:12\n"
      "7f0000001040 10 void java.lang.Object::<init>(int, long)\r\n"
      "0x7f0000001050 0x10 prefixed");
  ASSERT_TRUE(map.ok()) << map.status();
  EXPECT_EQ(map->Find(0x7f0000001000), "LazyCompile:~add /srv/app.js:12");
  EXPECT_EQ(map->Find(0x7f000000104f), "void java.lang.Object::<init>(int, long)");
  EXPECT_EQ(map->Find(0x7f0000001050), "prefixed");
  EXPECT_EQ(map->Find(0x7f0000001060), "");
  EXPECT_EQ(map->Find(0x7f0000000fff), "");
  EXPECT_EQ(map->skipped_line_count(), 0u);
}

TEST(PerfMap, LaterLineWinsOnOverlap) {
  EXPECT_EQ(Read("1000 100 old\n1040 20 inside\n"),
            "0x1000-0x1040 old\n0x1040-0x1060 inside\n0x1060-0x1100 old\n");
  EXPECT_EQ(Read("1000 100 old\n1000 100 new\n"), "0x1000-0x1100 new\n");
  EXPECT_EQ(Read("1000 20 a\n1020 20 b\n1040 20 c\n1010 40 over\n"),
            "0x1000-0x1010 a\n0x1010-0x1050 over\n0x1050-0x1060 c\n");
  EXPECT_EQ(Read("1040 20 inside\n1000 100 over\n"), "0x1000-0x1100 over\n");
  EXPECT_EQ(Read("1000 20 a\n1010 10 b\n1000 10 c\n"), "0x1000-0x1010 c\n0x1010-0x1020 b\n");
}

TEST(PerfMap, SkipsAndCountsMalformedLines) {
  const auto map = PerfMap::Parse(
      "\n1000 10 good\nnothing\n1000\n1000 10\n1000 10 \n1000 0 empty\nxyz 10 f\n"
      "ffffffffffffffff 10 wraps\n10000000000000000 10 long\n-1000 10 minus\n");
  ASSERT_TRUE(map.ok());
  EXPECT_EQ(ToText(*map), "0x1000-0x1010 good\n");
  EXPECT_EQ(map->skipped_line_count(), 9u);
}

TEST(PerfMap, LimitsTheNumberOfLines) {
  EXPECT_TRUE(PerfMap::Parse(std::string(PerfMap::kLinesMax, '\n')).ok());
  EXPECT_EQ(PerfMap::Parse(std::string(PerfMap::kLinesMax + 1, '\n')).status().code(),
            absl::StatusCode::kResourceExhausted);
}

// Each line splits all earlier ones: the work must not be quadratic in the number of lines.
TEST(PerfMap, ReadsManyOverlapsQuickly) {
  std::string text;
  for (uint64_t i = 0; i < 200'000; ++i)
    base::StrAppend(&text, fmt::format("{:x} {:x} f\n", 0x1000 + i * 3 % 65'537, 0x1000));
  const auto map = PerfMap::Parse(std::move(text));
  ASSERT_TRUE(map.ok());
  for (size_t i = 1; i < map->ranges().size(); ++i)
    EXPECT_LE(map->ranges()[i - 1].end, map->ranges()[i].begin);
}

}  // namespace
}  // namespace flarestack::elf
