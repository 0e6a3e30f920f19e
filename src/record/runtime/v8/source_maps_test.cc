// SPDX-License-Identifier: Apache-2.0
//
// Maps of scripts that this process has as files.
#include "record/runtime/v8/source_maps.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/text/encoding.h"
#include "base/text/text.h"

namespace flarestack::record::runtime {
namespace {

constexpr std::string_view kMap =
    R"({"version":3,"sources":["src/app.ts"],"names":[],"mappings":"AAAA"})";

class SourceMapsTest : public ::testing::Test {
 protected:
  SourceMapsTest() {
    std::string name = std::filesystem::temp_directory_path() / "source_maps_XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~SourceMapsTest() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, std::string_view text) {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path;
  }

  // A script of ASCII characters, as V8 describes it.
  V8Script WriteScript(const std::string& name, std::string_view text) {
    V8Script script = {.file = Write(name, text)};
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n')
        script.line_ends.push_back(static_cast<uint32_t>(i));
    }
    script.line_ends.push_back(static_cast<uint32_t>(text.size()));
    return script;
  }

  // The original file of the first character, below the test's folder.
  std::string Source(SourceMaps* maps, const V8Script& script) const {
    const auto map = maps->Find(getpid(), script);
    if (!map.ok())
      return absl::StatusCodeToString(map.status().code());
    const auto original = (*map)->Find({.line = 1, .column = 1});
    if (!original.has_value())
      return "none";
    return std::filesystem::path(original->file).lexically_relative(folder_).string();
  }

  std::filesystem::path folder_;
  SourceMaps maps_;
};

TEST_F(SourceMapsTest, FindsInlineMaps) {
  const V8Script script = WriteScript(
      "dist/app.js", base::StrCat("x()\n//# sourceMappingURL=data:application/json;base64,",
                                  base::Base64Encode(kMap), "\n"));
  EXPECT_EQ(Source(&maps_, script), "dist/src/app.ts");
}

TEST_F(SourceMapsTest, FindsTheFileThatTheScriptNames) {
  const V8Script script =
      WriteScript("dist/app.js", "x()\n//# sourceMappingURL=../maps/my%20app.json?v=1\n");
  Write("maps/my app.json", kMap);
  EXPECT_EQ(Source(&maps_, script), "maps/src/app.ts");
}

TEST_F(SourceMapsTest, AMapThatTheScriptDoesNotNameIsNotUsed) {
  const V8Script script = WriteScript("app.js", "x()\n");
  Write("app.js.map", kMap);
  EXPECT_EQ(Source(&maps_, script), "NOT_FOUND");
}

TEST_F(SourceMapsTest, AMissingMapMayAppearLater) {
  const V8Script script = WriteScript("app.js", "x()\n//# sourceMappingURL=app.js.map\n");
  EXPECT_EQ(Source(&maps_, script), "UNAVAILABLE");
  Write("app.js.map", kMap);
  EXPECT_EQ(Source(&maps_, script), "src/app.ts");
}

TEST_F(SourceMapsTest, AChangedMapIsReadAgain) {
  const V8Script script = WriteScript("app.js", "x()\n//# sourceMappingURL=app.js.map\n");
  Write("app.js.map", kMap);
  const auto first = maps_.Find(getpid(), script);
  const auto second = maps_.Find(getpid(), script);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(*first, *second);  // one object in memory
  Write("app.js.map", R"({"version":3,"sources":["src/renamed.ts"],"mappings":"AAAA"})");
  EXPECT_EQ(Source(&maps_, script), "src/renamed.ts");
}

TEST_F(SourceMapsTest, AFileThatIsNotTheRunningScriptHasNoMap) {
  V8Script script = WriteScript("app.js", "x()\n//# sourceMappingURL=app.js.map\n");
  Write("app.js.map", kMap);
  script.line_ends.back() += 1;
  EXPECT_EQ(Source(&maps_, script), "INVALID_ARGUMENT");
}

// V8 counts UTF-16 units and drops a byte order mark.
TEST_F(SourceMapsTest, TextThatIsNotAsciiIsCompared) {
  V8Script script = WriteScript(
      "app.js", "\xef\xbb\xbfs='\u00e9\u20ac\U0001f600'\u2028x()\r\n//# sourceMappingURL=a.map");
  Write("a.map", kMap);
  script.line_ends = {8, 13, 40};
  EXPECT_EQ(Source(&maps_, script), "src/app.ts");
}

TEST_F(SourceMapsTest, DamagedMapsAreErrors) {
  const V8Script script = WriteScript("app.js", "x()\n//# sourceMappingURL=app.js.map\n");
  Write("app.js.map", "{");
  EXPECT_EQ(Source(&maps_, script), "INVALID_ARGUMENT");
  Write("app.js.map", R"({"version":3,"sources":["a"],"mappings":"AAAA;;;;;;;;AAAA"})");
  EXPECT_EQ(Source(&maps_, script), "INVALID_ARGUMENT");  // of a longer text
}

TEST_F(SourceMapsTest, ReadsNeitherTheNetworkNorScriptsWithoutFile) {
  EXPECT_EQ(Source(&maps_,
                   WriteScript("app.js", "x()\n//# sourceMappingURL=https://example.com/a.map\n")),
            "NOT_FOUND");
  EXPECT_EQ(Source(&maps_, {.file = "node:fs", .line_ends = {1}}), "NOT_FOUND");
  EXPECT_EQ(Source(&maps_, {.file = "/no/such/file.js", .line_ends = {1}}), "NOT_FOUND");
}

TEST_F(SourceMapsTest, TheFolderHasMapsByNameAndTheLongestMatchWins) {
  const V8Script script = WriteScript("srv/dist/app.js", "x()\n");
  maps_.SetFolder(folder_ / "maps");
  EXPECT_EQ(Source(&maps_, script), "NOT_FOUND");
  Write("maps/app.js.map", kMap);
  EXPECT_EQ(Source(&maps_, script), "srv/dist/src/app.ts");
  Write("maps/dist/app.js.map", R"({"version":3,"sources":["nearer.ts"],"mappings":"AAAA"})");
  EXPECT_EQ(Source(&maps_, script), "srv/dist/nearer.ts");
  EXPECT_EQ(Source(&maps_, {.file = "/../app.js", .line_ends = {1}}), "NOT_FOUND");
}

TEST_F(SourceMapsTest, TheFolderReplacesAMapThatIsMissing) {
  const V8Script script = WriteScript("app.js", "x()\n//# sourceMappingURL=app.js.map\n");
  Write("maps/app.js.map", kMap);
  maps_.SetFolder(folder_ / "maps");
  EXPECT_EQ(Source(&maps_, script), "src/app.ts");
}

TEST_F(SourceMapsTest, MapsInUseAreLimited) {
  SourceMaps::Limits limits;
  limits.maps_max = 1;
  SourceMaps maps(limits);
  Write("app.js.map", kMap);
  Write("other.js.map", kMap);
  const V8Script script = WriteScript("app.js", "x()\n//# sourceMappingURL=app.js.map\n");
  const V8Script other = WriteScript("other.js", "x()\n//# sourceMappingURL=other.js.map\n");
  {
    const auto held = maps.Find(getpid(), script);
    ASSERT_TRUE(held.ok()) << held.status();
    EXPECT_EQ(Source(&maps, other), "UNAVAILABLE");
    EXPECT_EQ(Source(&maps, script), "src/app.ts");
  }
  EXPECT_EQ(Source(&maps, other), "src/app.ts");
}

TEST_F(SourceMapsTest, BytesOfMapsAreLimited) {
  Write("app.js.map", kMap);
  const V8Script script = WriteScript("app.js", "x()\n//# sourceMappingURL=app.js.map\n");
  const auto find = [&](const SourceMaps::Limits& limits) {
    SourceMaps maps(limits);
    return Source(&maps, script);
  };
  EXPECT_EQ(find({.script_bytes_max = 10}), "RESOURCE_EXHAUSTED");
  EXPECT_EQ(find({.bytes_max = 10}), "UNAVAILABLE");
  EXPECT_EQ(find({.minute_bytes_max = 10}), "UNAVAILABLE");
}

}  // namespace
}  // namespace flarestack::record::runtime
