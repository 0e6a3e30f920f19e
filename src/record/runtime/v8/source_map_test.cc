// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/v8/source_map.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/encoding.h"

namespace flarestack::record::runtime {
namespace {

// Generated line 1: columns 0, 9 and 28; line 2 has a part without an origin.
//   function add(left,right){return left+right}
//   console.log(add(1,2))
constexpr std::string_view kMap = R"({"version":3,"file":"out.js","sourceRoot":"src",
  "sources":["math.ts","../main.ts"],"names":["add","left"],
  "mappings":"AAAA,SAASA,IAEKC;ACAd,U,GACG"})";

std::string Describe(const std::optional<OriginalPlace>& place) {
  if (!place.has_value())
    return "none";
  return std::string(place->file) + ":" + std::to_string(place->line) + ":" +
         std::to_string(place->column) + " " + std::string(place->name);
}

std::string DescribeAll(const SourceMap& map, int64_t line, std::vector<int64_t> columns) {
  std::string text;
  for (const int64_t column : columns)
    text += Describe(map.Find({.line = line, .column = column})) + "\n";
  return text;
}

TEST(SourceMapTest, FindsOriginalFileLineColumnAndName) {
  const auto map = SourceMap::Parse(kMap, "/srv/dist/out.js.map");
  ASSERT_TRUE(map.ok()) << map.status();
  EXPECT_EQ(DescribeAll(*map, 1, {1, 9, 10, 13, 14, 99}),
            "/srv/dist/src/math.ts:1:1 \n"
            "/srv/dist/src/math.ts:1:1 \n"
            "/srv/dist/src/math.ts:1:10 add\n"
            "/srv/dist/src/math.ts:1:10 add\n"
            "/srv/dist/src/math.ts:3:15 left\n"
            "/srv/dist/src/math.ts:3:15 left\n");
  EXPECT_EQ(DescribeAll(*map, 2, {1, 10, 11, 13, 14}),
            "/srv/dist/main.ts:3:1 \n"
            "/srv/dist/main.ts:3:1 \n"
            "none\n"
            "none\n"
            "/srv/dist/main.ts:4:4 \n");
  EXPECT_EQ(DescribeAll(*map, 3, {1}), "none\n");
  EXPECT_EQ(DescribeAll(*map, 0, {0}), "none\n");
}

TEST(SourceMapTest, SectionsAreOffsetAndHaveTheirOwnSources) {
  const auto map = SourceMap::Parse(
      R"({"version":3,"sections":[
        {"offset":{"line":0,"column":0},"map":{"version":3,"sources":["a.js"],"names":[],"mappings":"AAAA"}},
        {"offset":{"line":1,"column":10},"map":{"version":3,"sources":["b.js"],"names":["f"],
         "mappings":"AAAAA;AACA"}}]})",
      "");
  ASSERT_TRUE(map.ok()) << map.status();
  EXPECT_EQ(DescribeAll(*map, 1, {1}), "a.js:1:1 \n");
  EXPECT_EQ(DescribeAll(*map, 2, {10, 11}), "none\nb.js:1:1 f\n");
  EXPECT_EQ(DescribeAll(*map, 3, {1}), "b.js:2:1 \n");
}

TEST(SourceMapTest, RejectsWhatIsNoSourceMap) {
  const char* const texts[] = {
      "",
      "{",
      "[]",
      R"({"version":2,"sources":[],"mappings":""})",
      R"({"version":3,"mappings":"AAAA"})",
      R"({"version":3,"sources":[],"mappings":"AAAA"})",          // no such source
      R"({"version":3,"sources":["a"],"mappings":"AAAAA"})",      // no such name
      R"({"version":3,"sources":["a"],"mappings":"AA"})",         // two numbers
      R"({"version":3,"sources":["a"],"mappings":"D"})",          // column -1
      R"({"version":3,"sources":["a"],"mappings":"AA*A"})",       // no digit
      R"({"version":3,"sources":["a"],"mappings":"ggggggggC"})",  // above 32 bits
  };
  for (const char* text : texts)
    EXPECT_EQ(SourceMap::Parse(text, "").status().code(), absl::StatusCode::kInvalidArgument)
        << text;
}

TEST(SourceMapTest, LimitsAreErrors) {
  SourceMap::Limits limits;
  limits.segments_max = 2;
  EXPECT_EQ(SourceMap::Parse(kMap, "", limits).status().code(),
            absl::StatusCode::kResourceExhausted);
  limits = {};
  limits.names_max = 3;
  EXPECT_EQ(SourceMap::Parse(kMap, "", limits).status().code(),
            absl::StatusCode::kResourceExhausted);
  limits = {};
  limits.bytes_max = 20;
  EXPECT_EQ(SourceMap::Parse(kMap, "", limits).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(SourceMapTest, UrlIsThatOfTheLastComment) {
  EXPECT_EQ(FindSourceMapUrl("a\n//# sourceMappingURL=a.map\nb\n//# sourceMappingURL=b.map\n"),
            "b.map");
  EXPECT_EQ(FindSourceMapUrl("//@ sourceMappingURL=old.map"), "old.map");
  EXPECT_EQ(FindSourceMapUrl("const s = 'sourceMappingURL=x'"), "");
  EXPECT_EQ(FindSourceMapUrl(""), "");
}

class SourceMapFileTest : public ::testing::Test {
 protected:
  SourceMapFileTest() {
    std::string name = std::filesystem::temp_directory_path() / "source_map_XXXXXX";
    directory_ = mkdtemp(name.data());
    std::filesystem::create_directories(directory_ / "maps");
  }
  ~SourceMapFileTest() override { std::filesystem::remove_all(directory_); }

  std::string Write(const std::string& name, std::string_view text) {
    std::ofstream(directory_ / name) << text;
    return directory_ / name;
  }

  std::filesystem::path directory_;
};

TEST_F(SourceMapFileTest, LoadsInlineMaps) {
  const std::string script =
      Write("inline.js", "x\n//# sourceMappingURL=data:application/json;charset=utf-8;base64," +
                             base::Base64Encode(kMap) + "\n");
  const auto map = SourceMap::Load(script, "");
  ASSERT_TRUE(map.ok()) << map.status();
  EXPECT_EQ(map->Find({.line = 1, .column = 1})->file, (directory_ / "src/math.ts").string());
}

TEST_F(SourceMapFileTest, LoadsMapsBesideTheScriptAndFromADirectory) {
  const std::string named = Write("named.js", "x\n//# sourceMappingURL=maps/other.json\n");
  Write("maps/other.json", kMap);
  EXPECT_EQ(Describe(SourceMap::Load(named, "")->Find({.line = 1, .column = 1})),
            (directory_ / "maps/src/math.ts").string() + ":1:1 ");

  const std::string plain = Write("plain.js", "x\n");
  EXPECT_EQ(SourceMap::Load(plain, "").status().code(), absl::StatusCode::kNotFound);
  Write("maps/plain.js.map", kMap);
  EXPECT_TRUE(SourceMap::Load(plain, directory_ / "maps").ok());
  Write("plain.js.map", kMap);
  EXPECT_TRUE(SourceMap::Load(plain, "").ok());
}

TEST_F(SourceMapFileTest, FetchesNothing) {
  const std::string script =
      Write("remote.js", "x\n//# sourceMappingURL=https://example.com/remote.js.map\n");
  EXPECT_EQ(SourceMap::Load(script, "").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace flarestack::record::runtime
