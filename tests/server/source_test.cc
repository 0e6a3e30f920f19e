// SPDX-License-Identifier: Apache-2.0
//
// The source text of costly lines: from folders of the server, from a real debuginfod, and as a
// link to the repository.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text/text.h"
#include "elf/build_id.h"
#include "elf/elf_file.h"
#include "recorder/recording.h"
#include "support/run_program.h"
#include "support/server_process.h"
#include "symbol/testing/debuginfod_process.h"

namespace flarestack::testing {
namespace {

using ::testing::HasSubstr;
using nlohmann::literals::operator""_json_pointer;

constexpr std::string_view kSource = R"(#include <stdlib.h>
volatile int sink;

int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i)
    sum += sink * i;
  return sum;
}

int main(void) { return work(sink); }
)";
constexpr int64_t kHotLine = 7;

class SourceTest : public ::testing::Test {
 protected:
  // A symbolized profile with one sample in work().
  std::string Profile() const {
    return base::StrCat(
        R"({"resourceProfiles":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}},)",
        R"({"key":"service.version","value":{"stringValue":"1.2"}}]},)",
        R"("scopeProfiles":[{"profiles":[{"sampleType":{"typeStrindex":1,"unitStrindex":2},"timeUnixNano":")",
        base::NowNanos(),
        R"(","durationNano":"1000000000","samples":[{"stackIndex":1,"values":["7"]}]}]}]}],)",
        R"("dictionary":{"mappingTable":[{},{"filenameStrindex":3,"attributeIndices":[1]}],)",
        R"("locationTable":[{},{"mappingIndex":1,"address":"16","lines":[{"functionIndex":1,"line":")",
        kHotLine, R"("}]}],"functionTable":[{},{"nameStrindex":5,"filenameStrindex":6}],)",
        R"("linkTable":[{}],"stringTable":["","cpu","nanoseconds","/srv/shop",)",
        R"("process.executable.build_id.gnu","work",")", source_path_, R"("],)",
        R"("attributeTable":[{},{"keyStrindex":4,"value":{"stringValue":")", build_id_,
        R"("}}],"stackTable":[{},{"locationIndices":[1]}]}})");
  }

  void StartServer(const std::vector<std::string>& flags) {
    server_ = std::make_unique<ServerProcess>(folder_.File("data"), flags);
    ASSERT_TRUE(server_->is_running()) << server_->log();
    const Answer response = Send({.url = server_->otlp_http() + "/v1development/profiles",
                                  .content_type = "application/json",
                                  .body = Profile()});
    ASSERT_EQ(response.status, 200) << response.body;
  }

  nlohmann::json Fetch(const std::string& request) const {
    const Answer response = Get(server_->http() + "/api/v1" + request);
    EXPECT_EQ(response.status, 200) << request << " " << response.body << response.error;
    return nlohmann::json::parse(response.body, nullptr, false);
  }

  // The request that the function page sends.
  nlohmann::json GetSource(const std::string& more = {}) const {
    const nlohmann::json lines = Fetch("/lines?type=cpu&fn=work");
    const nlohmann::json row = lines.value("/rows/0"_json_pointer, nlohmann::json::object());
    EXPECT_EQ(row.value("line", 0), kHotLine) << lines;
    return Fetch(base::StrCat("/source?file=", row.value("file", ""), "&first=",
                              row.value("line", 0), "&build_id=", row.value("build_id", ""), more));
  }

  static void ExpectTheFunction(nlohmann::json source) {
    ASSERT_EQ(source["found"], true) << source;
    EXPECT_EQ(source["first_line"], 4);
    EXPECT_EQ(source["lines"][0], "int work(int n) {");
    EXPECT_EQ(source["lines"][kHotLine - 4], "    sum += sink * i;");
    EXPECT_EQ(source["lines"].back(), "}");
    EXPECT_EQ(source["line_count"], 11);
  }

  TemporaryFolder folder_;
  std::string source_path_ = "/build/shop/src/work.c";
  std::string build_id_ = std::string(40, 'a');
  std::unique_ptr<ServerProcess> server_;
};

TEST_F(SourceTest, FindsTheTextInAFolderOfTheServer) {
  std::filesystem::create_directories(folder_.File("code/src"));
  folder_.Write("code/src/work.c", kSource);
  StartServer({"--source-path", folder_.File("code"), "--source-strip", "/build/shop/",
               "--source-url", "https://git.example/{service}/blob/v{version}/{path}#L{line}"});
  nlohmann::json source = GetSource("&service=shop&version=1.2&line=7");
  ExpectTheFunction(source);
  EXPECT_EQ(source["from"], "folder") << "responses do not reveal the folders of the server";
  EXPECT_EQ(source["url"], "https://git.example/shop/blob/v1.2/src/work.c#L7");
  nlohmann::json whole = Fetch("/source?file=src/work.c");
  EXPECT_EQ(whole["lines"].size(), 11u);
  EXPECT_EQ(Fetch("/source?file=/etc/passwd")["found"], false);
  EXPECT_EQ(Fetch("/source?file=src/work.c&first=900")["lines"].size(), 0u)
      << "the range is past the end of the file";
}

TEST_F(SourceTest, ReturnsAReasonAndALinkWithoutTheText) {
  StartServer({"--source-url", "shop=https://git.example/{path}"});
  nlohmann::json source = GetSource("&service=shop");
  EXPECT_EQ(source["found"], false);
  EXPECT_THAT(source["reason"].get<std::string>(), HasSubstr("--source-path"));
  EXPECT_EQ(source["url"], "https://git.example/build/shop/src/work.c");
  EXPECT_FALSE(GetSource("&service=other").contains("url"));
}

TEST_F(SourceTest, RejectsBadFlags) {
  const auto rejection = [&](const std::string& flag, const std::string& value) {
    const RunResult run = Flarestack({"serve", "--data-dir", folder_.File("data"), flag, value});
    EXPECT_EQ(run.exit_code, 2) << run.error;
    return run.error;
  };
  EXPECT_THAT(rejection("--source-path", folder_.File("nowhere")), HasSubstr("not a directory"));
  EXPECT_THAT(rejection("--source-url", "https://git.example/{file}"), HasSubstr("{file}"));
}

TEST_F(SourceTest, FetchesTheTextFromDebuginfod) {
  if (!HasProgram("debuginfod"))
    GTEST_SKIP() << "debuginfod is not installed";
  std::filesystem::create_directories(folder_.File("served"));
  source_path_ = folder_.Write("work.c", kSource);
  const std::string program = folder_.File("served/shop");
  const RunResult compiled =
      RunProgram({"/usr/bin/env", "gcc", "-g", "-Wl,--build-id=sha1", "-o", program, source_path_});
  if (compiled.exit_code != 0)
    GTEST_SKIP() << "compilation failed: " << compiled.error;
  const std::string bytes = ReadWhole(program);
  const auto file = elf::ElfFile::Parse(bytes);
  ASSERT_TRUE(file.ok()) << file.status();
  build_id_ = elf::GnuBuildId(*file);
  std::unique_ptr<symbol::testing::DebuginfodProcess> debuginfod;
  for (int i = 0; i < 3 && debuginfod == nullptr; ++i) {
    debuginfod = std::make_unique<symbol::testing::DebuginfodProcess>(
        folder_.File("served"), folder_.File("debuginfod.log"));
    if (!debuginfod->AwaitScanned(1))
      debuginfod.reset();
  }
  ASSERT_NE(debuginfod, nullptr) << ReadWhole(folder_.File("debuginfod.log"));
  StartServer({"--debuginfod", debuginfod->url()});
  nlohmann::json source = GetSource();
  ExpectTheFunction(source);
  EXPECT_THAT(source["from"].get<std::string>(), HasSubstr("/buildid/" + build_id_ + "/source/"));
  debuginfod->Stop();
  ExpectTheFunction(GetSource());  // from the cache
}

}  // namespace
}  // namespace flarestack::testing
