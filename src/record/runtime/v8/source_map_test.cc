// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/v8/source_map.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text/encoding.h"
#include "base/text/text.h"

namespace flarestack::record::runtime {
namespace {

// Line 1 has mappings at columns 1, 10 and 14; line 2 at 1, 11 (without an origin) and 14.
constexpr std::string_view kMap = R"({"version":3,"file":"out.js","sourceRoot":"src",
  "sources":["math.ts","../main.ts"],"names":["add","left"],
  "mappings":"AAAA,SAASA,IAEKC;ACAd,U,GACG"})";

std::string Describe(const SourceMap& map, const SourcePosition& generated) {
  const auto original = map.Find(generated);
  if (!original.has_value())
    return "none";
  const std::string_view name = map.FindName(generated);
  return base::StrCat(original->file, ":", original->line, ":", original->column,
                      name.empty() ? "" : " ", name);
}

std::string DescribeAll(const SourceMap& map, int64_t line, std::vector<int64_t> columns) {
  std::string text;
  for (const int64_t column : columns)
    text += Describe(map, {.line = line, .column = column}) + "\n";
  return text;
}

TEST(SourceMapTest, FindsOriginalFileLineColumnAndName) {
  const auto map = SourceMap::Parse(kMap, "/srv/dist/out.js.map");
  ASSERT_TRUE(map.ok()) << map.status();
  EXPECT_EQ(DescribeAll(*map, 1, {1, 9, 10, 13, 14, 99}),
            "/srv/dist/src/math.ts:1:1\n"
            "/srv/dist/src/math.ts:1:1\n"
            "/srv/dist/src/math.ts:1:10 add\n"
            "/srv/dist/src/math.ts:1:10\n"
            "/srv/dist/src/math.ts:3:15 left\n"
            "/srv/dist/src/math.ts:3:15\n");
  EXPECT_EQ(DescribeAll(*map, 2, {1, 10, 11, 13, 14}),
            "/srv/dist/main.ts:3:1\n"
            "/srv/dist/main.ts:3:1\n"
            "none\n"
            "none\n"
            "/srv/dist/main.ts:4:4\n");
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
  EXPECT_EQ(DescribeAll(*map, 1, {1}), "a.js:1:1\n");
  EXPECT_EQ(DescribeAll(*map, 2, {10, 11}), "none\nb.js:1:1 f\n");
  EXPECT_EQ(DescribeAll(*map, 3, {1}), "b.js:2:1\n");
}

TEST(SourceMapTest, MappingsMayBeInAnyOrder) {
  const auto map =
      SourceMap::Parse(R"({"version":3,"sources":["a.js"],"names":[],"mappings":"UAAU,VAAV"})", "");
  ASSERT_TRUE(map.ok()) << map.status();
  EXPECT_EQ(DescribeAll(*map, 1, {1, 10, 11}), "a.js:1:1\na.js:1:1\na.js:1:11\n");
}

// The source that a map in /srv/dist lists, and what is shown.
TEST(SourceMapTest, SourcesArePathsWithoutTheSchemeOfTheBundler) {
  const struct {
    std::string_view root;
    std::string_view source;
    std::string_view shown;
  } rows[] = {
      {"", "../src/cart.ts", "/srv/src/cart.ts"},
      {"..", "src/cart.ts", "/srv/src/cart.ts"},
      {"/home/shop/", "cart.ts", "/home/shop/cart.ts"},
      {"lib", "/srv/cart.ts", "/srv/cart.ts"},
      {"", "file:///srv/my%20cart.ts", "/srv/my cart.ts"},
      {"", "webpack://shop/./src/cart.ts", "src/cart.ts"},
      {"", "webpack://@acme/shop/./src/cart.ts", "src/cart.ts"},
      {"webpack:///", "./src/cart.vue?5c2a", "src/cart.vue"},
      {"", "webpack:////srv/src/cart.ts", "/srv/src/cart.ts"},
      {"", "webpack://shop/external \\\"fs\\\"", "external \"fs\""},
      {"", "https://example.com/cart.ts", "https://example.com/cart.ts"},
  };
  for (const auto& row : rows) {
    const std::string json =
        base::StrCat(R"({"version":3,"sourceRoot":")", row.root, R"(","sources":[")", row.source,
                     R"("],"mappings":"AAAA"})");
    const auto map = SourceMap::Parse(json, "/srv/dist/app.js.map");
    ASSERT_TRUE(map.ok()) << map.status();
    EXPECT_EQ(Describe(*map, {.line = 1, .column = 1}), base::StrCat(row.shown, ":1:1"));
  }
}

TEST(SourceMapTest, FitsTheTextItWasMadeFor) {
  const auto map = SourceMap::Parse(kMap, "");
  ASSERT_TRUE(map.ok()) << map.status();
  EXPECT_TRUE(map->Fits({43, 65, 66}));
  EXPECT_FALSE(map->Fits({43}));
  EXPECT_FALSE(map->Fits({10, 65, 66}));
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
  limits = {};
  limits.name_bytes_max = 20;
  EXPECT_EQ(SourceMap::Parse(kMap, "/srv/dist/out.js.map", limits).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(SourceMapTest, UrlIsInTheCommentAtTheEnd) {
  EXPECT_EQ(FindSourceMapUrl("a\n//# sourceMappingURL=a.map\nb\n//# sourceMappingURL=b.map\n"),
            "b.map");
  EXPECT_EQ(FindSourceMapUrl("a\n//# sourceMappingURL=a.map\r\n\n //# debugId=1\n"), "a.map");
  EXPECT_EQ(FindSourceMapUrl("a\n//# sourceMappingURL=a.map\nb\n"), "");
  EXPECT_EQ(FindSourceMapUrl("//@ sourceMappingURL=old.map"), "old.map");
  EXPECT_EQ(FindSourceMapUrl("const s = 'sourceMappingURL=x'"), "");
  EXPECT_EQ(FindSourceMapUrl(""), "");
}

TEST(SourceMapTest, DecodesUrlsWithData) {
  EXPECT_EQ(*DecodeSourceMapUrl("data:application/json;charset=utf-8;base64,e30="), "{}");
  EXPECT_EQ(*DecodeSourceMapUrl("data:application/json,%7b%7D"), "{}");
  EXPECT_FALSE(DecodeSourceMapUrl("data:application/json;base64,*").ok());
  EXPECT_FALSE(DecodeSourceMapUrl("data:").ok());
}

}  // namespace
}  // namespace flarestack::record::runtime
