// SPDX-License-Identifier: Apache-2.0
//
// Profiles as one HTML file, written by the program and by its server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/compress/compress.h"
#include "base/text/encoding.h"
#include "query/flame/flame_container.h"
#include "server/ui/html_writer.h"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// The flame graphs in a page, in order.
std::vector<query::Flame> FlamesIn(const std::string& page) {
  constexpr std::string_view kBlock = "<script type=\"application/vnd.flarestack.flame.v1\"";
  std::vector<query::Flame> flames;
  for (size_t at = page.find(kBlock); at != std::string::npos; at = page.find(kBlock, at + 1)) {
    const size_t begin = page.find('>', at) + 1;
    const auto packed = base::Base64Decode(page.substr(begin, page.find('<', begin) - begin));
    const auto bytes = base::Gunzip(packed.value_or(""), 1 << 24);
    auto flame = bytes.ok() ? query::DecodeFlame(*bytes) : bytes.status();
    EXPECT_TRUE(flame.ok()) << flame.status();
    if (flame.ok())
      flames.push_back(*std::move(flame));
  }
  return flames;
}

std::vector<std::string> TypesIn(const std::string& page) {
  std::vector<std::string> types;
  for (const query::Flame& flame : FlamesIn(page))
    types.push_back(flame.type + ":" + flame.unit);
  return types;
}

int64_t TotalOf(const query::Flame& flame) {
  int64_t total = 0;
  for (const int64_t self : flame.self[0])
    total += self;
  return total;
}

class HtmlTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!server::CanWriteHtml())
      GTEST_SKIP() << "built without the UI";
  }
  std::string Convert(const std::vector<std::string>& words) {
    std::vector<std::string> all = {"convert"};
    all.insert(all.end(), words.begin(), words.end());
    all.push_back(folder_.File("out.html"));
    const RunResult run = Flarestack(all);
    EXPECT_EQ(run.exit_code, 0) << run.error;
    return ReadWhole(folder_.File("out.html"));
  }

  TemporaryFolder folder_;
};

TEST_F(HtmlTest, HasAllSampleTypesOfTheFile) {
  const std::string page = Convert({Example("checkout.pb.gz")});
  EXPECT_THAT(TypesIn(page), ::testing::UnorderedElementsAre("samples:count", "cpu:nanoseconds"));
  EXPECT_THAT(page, HasSubstr("<title>checkout.pb.gz</title>"));
  EXPECT_THAT(TypesIn(Convert({"--type", "cpu", Example("checkout.pb.gz")})),
              ElementsAre("cpu:nanoseconds"));
  EXPECT_THAT(Convert({"--title", "a < b", Example("checkout.pb.gz")}),
              HasSubstr("<title>a &lt; b</title>"));
}

TEST_F(HtmlTest, SameInputGivesTheSameBytes) {
  EXPECT_EQ(Convert({Example("checkout.otlp")}), Convert({Example("checkout.otlp")}));
}

TEST_F(HtmlTest, TruncatesDeepStacksAtTheEndOfThePage) {
  std::string stack = "root";
  for (int i = 0; i < 70'000; ++i)
    stack += ";f";
  const auto flames = FlamesIn(Convert({folder_.Write("in.folded", stack + " 7\n")}));
  ASSERT_EQ(flames.size(), 1u);
  EXPECT_EQ(TotalOf(flames[0]), 7);
  EXPECT_LT(flames[0].nodes.back().depth, 65'536u);
}

TEST_F(HtmlTest, ContainsTheDataOfTheFile) {
  const std::string input = folder_.Write("in.folded", "main;walk;walk 5\nmain;leaf 2\n");
  const std::vector<query::Flame> flames = FlamesIn(Convert({input}));
  ASSERT_EQ(flames.size(), 1u);
  EXPECT_EQ(TotalOf(flames[0]), 7);
  EXPECT_EQ(flames[0].nodes.size(), 5u) << "all, main, walk, walk, leaf";
}

TEST_F(HtmlTest, LoadsAndRunsNothingExternal) {
  const std::string attack = "</script><script>alert(1)</script>";
  const std::string page = Convert({folder_.Write("in.folded", "main;" + attack + " 7\n")});
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  EXPECT_EQ(FlamesIn(page).at(0).frames.back().name, attack);
  EXPECT_THAT(page, HasSubstr("Content-Security-Policy\" content=\"default-src 'none'; "
                              "script-src 'sha256-"));
  EXPECT_THAT(page, Not(HasSubstr("src=\"")));
  EXPECT_THAT(page, Not(HasSubstr("<link")));
}

TEST_F(HtmlTest, ServerWritesItToo) {
  ServerProcess server(folder_.File("data"));
  ASSERT_TRUE(server.is_running()) << server.log();
  ASSERT_EQ(
      Flarestack({"send", "--now", "--endpoint", server.otlp_http(), Example("checkout.pb.gz")})
          .exit_code,
      0);
  const Answer page = Get(server.http() + "/api/v1/export?format=html&type=cpu");
  ASSERT_EQ(page.status, 200) << page.body;
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  const auto of_file = FlamesIn(Convert({"--type", "cpu", Example("checkout.pb.gz")}));
  ASSERT_EQ(FlamesIn(page.body).size(), 1u);
  EXPECT_EQ(TotalOf(FlamesIn(page.body)[0]), TotalOf(of_file[0]));
  EXPECT_EQ(FlamesIn(page.body)[0].nodes.size(), of_file[0].nodes.size());
  const RunResult run = Flarestack({"query", "profile", "--server", server.http(), "--type", "cpu",
                                    "-o", folder_.File("of_server.html")});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_THAT(TypesIn(ReadWhole(folder_.File("of_server.html"))), ElementsAre("cpu:nanoseconds"));
}

TEST(HtmlWithoutPagesTest, IsReportedBeforeAnyWork) {
  if (server::CanWriteHtml())
    GTEST_SKIP() << "built with the UI";
  const RunResult run = Flarestack({"convert", "/nowhere/in", "out.html"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.error, HasSubstr("this build has no web UI"));
}

}  // namespace
}  // namespace flarestack::testing
