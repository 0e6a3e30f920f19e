// SPDX-License-Identifier: Apache-2.0
#include "elf/jit/perf_map.h"

#include <gtest/gtest.h>

#include "base/text/text.h"

namespace flarestack::elf {
namespace {

PerfMap Parse(std::string_view text) {
  PerfMap map;
  map.Append(text);
  map.Finish();
  return map;
}

std::string ToText(const PerfMap& map) {
  std::string text;
  for (const auto& [begin, range] : map.ranges())
    base::StrAppend(&text, base::Hex(begin), "-", base::Hex(range.end), " ", range.name, "\n");
  return text;
}

std::string Read(std::string_view text) { return ToText(Parse(text)); }

TEST(PerfMap, NamesExtendToTheEndOfTheLine) {
  const PerfMap map = Parse(
      "7f0000001000 40 LazyCompile:~add /srv/app.js:12\n"
      "7f0000001040 10 void java.lang.Object::<init>(int, long)\r\n"
      "0x7f0000001050 0x10 prefixed");
  EXPECT_EQ(map.Find(0x7f0000001000), "LazyCompile:~add /srv/app.js:12");
  EXPECT_EQ(map.Find(0x7f000000104f), "void java.lang.Object::<init>(int, long)");
  EXPECT_EQ(map.Find(0x7f0000001050), "prefixed");
  EXPECT_EQ(map.Find(0x7f0000001060), "");
  EXPECT_EQ(map.Find(0x7f0000000fff), "");
  EXPECT_EQ(map.skipped_line_count(), 0u);
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
  const PerfMap map = Parse(
      "\n1000 10 good\nnothing\n1000\n1000 10\n1000 10 \n1000 0 empty\nxyz 10 f\n"
      "ffffffffffffffff 10 wraps\n10000000000000000 10 long\n-1000 10 minus\n");
  EXPECT_EQ(ToText(map), "0x1000-0x1010 good\n");
  EXPECT_EQ(map.skipped_line_count(), 9u);
}

TEST(PerfMap, WaitsForTheEndOfALine) {
  const std::string text = "1000 10 first name\n1010 10 second\r\n";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    PerfMap map;
    map.Append(std::string_view(text).substr(0, cut));
    EXPECT_EQ(map.Find(0x1000).empty(), cut <= text.find('\n')) << cut;
    map.Append(std::string_view(text).substr(cut));
    EXPECT_EQ(ToText(map), "0x1000-0x1010 first name\n0x1010-0x1020 second\n") << cut;
  }
}

TEST(PerfMap, NameEndsAtANulAndAtItsLimit) {
  EXPECT_EQ(Read(std::string_view("1000 10 a\0b\n", 12)), "0x1000-0x1010 a\n");
  EXPECT_EQ(Read(std::string_view("1000 10 \0b\n", 11)), "");
  for (const size_t bytes : {size_t{1024}, size_t{1025}, size_t{1'000'000}})
    EXPECT_EQ(Parse("1000 10 " + std::string(bytes, 'x') + "\n2000 10 y").Find(0x1000),
              std::string(1024, 'x'));
  EXPECT_EQ(Parse("1000 10 " + std::string(9999, 'x') + "\n2000 10 y").Find(0x2000), "y");
}

TEST(PerfMap, AtItsLimitNewCodeOnlyRemovesNames) {
  PerfMap map({.ranges_max = 6});
  map.Append("1000 10 a\n2000 10 b\n3000 10 c\n4000 10 d\n5000 10 e\n2008 10 f\n");
  EXPECT_EQ(ToText(map), "0x1000-0x1010 a\n0x3000-0x3010 c\n0x4000-0x4010 d\n");
  EXPECT_EQ(map.dropped_line_count(), 2u);
  map.Append("5000 10 g\n");
  EXPECT_EQ(map.Find(0x5000), "g");
  PerfMap small({.bytes_max = 4000});
  for (uint64_t i = 0; i < 1000; ++i)
    small.Append(fmt::format("{:x} 10 name\n", i * 16));
  EXPECT_LE(small.bytes(), 4000u);
  EXPECT_GT(small.ranges().size(), 0u);
  small.Append("0 ffffff all\n");
  EXPECT_EQ(small.bytes(), 0u);
}

// Each line splits all earlier ones: the work must not be quadratic in the number of lines.
TEST(PerfMap, ReadsManyOverlapsQuickly) {
  std::string text;
  for (uint64_t i = 0; i < 200'000; ++i)
    base::StrAppend(&text, fmt::format("{:x} {:x} f\n", 0x1000 + i * 3 % 65'537, 0x1000));
  const PerfMap map = Parse(text);
  uint64_t end = 0;
  for (const auto& [begin, range] : map.ranges()) {
    EXPECT_LE(end, begin);
    end = range.end;
  }
}

}  // namespace
}  // namespace flarestack::elf
