// SPDX-License-Identifier: Apache-2.0
#include "server/ui/html_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/compress/compress.h"
#include "base/text/encoding.h"
#include "query/flame/flame_container.h"

namespace flarestack::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kViewer =
    "<head><title>Profile</title><script>viewer</script></head><body>\n"
    "<!-- flarestack:profile -->\n</body>\n";
constexpr std::string_view kAttack = "</script><script>alert(1)</script>";

query::Flame FlameWith(const std::string& name) {
  query::Flame flame;
  flame.type = "cpu";
  flame.unit = "nanoseconds";
  flame.frames = {{}, {.name = name}};
  flame.nodes = {{.depth = 0, .frame = 0}, {.depth = 1, .frame = 1}};
  flame.self = {{0, 7}};
  return flame;
}

std::string PageOf(std::string_view title, const std::vector<query::Flame>& flames) {
  std::string text;
  const absl::Status status =
      WriteHtmlPage(kViewer, {.title = title, .flames = flames}, [&](std::string_view piece) {
        text += piece;
        return absl::OkStatus();
      });
  EXPECT_TRUE(status.ok()) << status;
  return text;
}

// Decodes the n-th data block as a browser would.
absl::StatusOr<query::Flame> Block(const std::string& page, size_t n) {
  size_t at = 0;
  for (size_t i = 0; i <= n; ++i)
    at = page.find("<script type=\"application/vnd.flarestack.flame.v1\"", at + 1);
  const size_t begin = page.find('>', at) + 1;
  const auto packed = base::Base64Decode(page.substr(begin, page.find('<', begin) - begin));
  const auto bytes = base::Gunzip(packed.value_or(""), 1 << 20);
  return bytes.ok() ? query::DecodeFlame(*bytes) : bytes.status();
}

TEST(HtmlPageTest, ContainsEachFlameGraphInASeparateBlock) {
  const std::vector<query::Flame> flames = {FlameWith("main"), FlameWith("malloc")};
  const std::string page = PageOf("heap.pb.gz", flames);
  EXPECT_THAT(page, StartsWith("<head><title>heap.pb.gz</title><script>viewer</script></head>"));
  EXPECT_THAT(page, HasSubstr("data-sample-type=\"cpu:nanoseconds\">"));
  EXPECT_THAT(page, Not(HasSubstr("flarestack:profile")));
  for (size_t i = 0; i < flames.size(); ++i) {
    const auto flame = Block(page, i);
    ASSERT_TRUE(flame.ok()) << flame.status();
    EXPECT_EQ(*flame, flames[i]);
  }
}

TEST(HtmlPageTest, EscapesTextOfAProfile) {
  query::Flame flame = FlameWith(std::string(kAttack));
  flame.type = kAttack;
  flame.unit = "\"><img src=x onerror=alert(1)>";
  const std::string page = PageOf("</title><script>alert(1)</script>", {flame});
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page,
              HasSubstr("<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;</title>"));
  EXPECT_EQ(Block(page, 0)->frames[1].name, kAttack);
}

TEST(HtmlPageTest, MarkersInTextStayText) {
  const std::string page = PageOf("<!-- flarestack:profile --> <title>Profile</title>", {});
  EXPECT_THAT(page, HasSubstr("&lt;!-- flarestack:profile --&gt;"));
}

TEST(HtmlPageTest, RejectsAnythingButTheViewer) {
  for (const std::string_view viewer :
       {"", "<title>Profile</title>", "<!-- flarestack:profile --><title>Profile</title>"}) {
    EXPECT_EQ(WriteHtmlPage(viewer, {}, [](std::string_view) { return absl::OkStatus(); }).code(),
              absl::StatusCode::kInternal);
  }
}

}  // namespace
}  // namespace flarestack::server
