// SPDX-License-Identifier: Apache-2.0
#include "cli/input/page_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/status.h"

namespace flarestack::cli {
namespace {

using ::testing::HasSubstr;

nlohmann::json SharedLinks() {
  std::ifstream file(FLARESTACK_TESTDATA "/page_links.json");
  return nlohmann::json::parse(file, nullptr, false);
}

PageState StateOf(const nlohmann::json& row) {
  PageState state;
  row.at("values").get_to(state.values);
  state.steps = row.value("f", std::vector<std::string>());
  state.baseline_steps = row.value("b.f", std::vector<std::string>());
  return state;
}

// ui/src/profile/query/url_state.test.ts tests the UI against the same file.
TEST(PageStateTest, IsWrittenLikeThePagesWriteIt) {
  const nlohmann::json rows = SharedLinks();
  ASSERT_TRUE(rows.is_array());
  ASSERT_GT(rows.size(), 5u);
  for (const nlohmann::json& row : rows) {
    EXPECT_EQ(FormatPageState(StateOf(row)), row.at("query").get<std::string>()) << row["what"];
  }
}

TEST(PageStateTest, RoundTrips) {
  for (const nlohmann::json& row : SharedLinks()) {
    const std::string query = row.at("query");
    const auto state = ParsePageState("?" + query);
    ASSERT_TRUE(state.ok()) << state.status();
    EXPECT_EQ(FormatPageState(*state), query) << row["what"];
    const PageState written = StateOf(row);
    EXPECT_EQ(state->steps, written.steps);
    for (const auto& [key, value] : written.values)
      EXPECT_EQ(state->Get(key), value) << row["what"] << key;
  }
}

TEST(PageStateTest, RejectsANewerVersion) {
  EXPECT_EQ(ParsePageState("v=2&q=x").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(ParsePageState("v=x").ok());
  EXPECT_TRUE(ParsePageState("v=1&").ok());
  EXPECT_EQ(ParsePageState("q=a%2&&=x&to").value().Get("q"), "a%2") << "as browsers read it";
}

TEST(PageLinkTest, HasServerPageAndState) {
  const auto link = ParsePageLink("https://tools.example/flare/explore?v=1&q=%7B%7D&f=only:a#x");
  ASSERT_TRUE(link.ok()) << link.status();
  EXPECT_EQ(link->server, "https://tools.example/flare");
  EXPECT_EQ(link->page, "/explore");
  EXPECT_EQ(link->state.Get("q"), "{}");
  EXPECT_EQ(link->state.steps, std::vector<std::string>{"only:a"});
  EXPECT_EQ(link->state.Get("from"), "now-1h");
  EXPECT_EQ(FormatPageLink(*link), "https://tools.example/flare/explore?v=1&q=%7B%7D&f=only:a");
  EXPECT_EQ(ParsePageLink("http://127.0.0.1:4040/diff/")->page, "/diff");
}

TEST(PageLinkTest, AcceptsAShortLink) {
  const auto link = ParsePageLink("http://localhost:4040/flare/s/Ab-_12");
  ASSERT_TRUE(link.ok()) << link.status();
  EXPECT_EQ(link->server, "http://localhost:4040/flare");
  EXPECT_EQ(ShortLinkId(*link), "Ab-_12");
  EXPECT_EQ(ShortLinkId({.page = "/explore"}), "");
}

TEST(PageLinkTest, RejectsALinkToAnotherPage) {
  for (const char* text : {"http://localhost:4040", "http://localhost:4040/", "http://h/logs?v=1",
                           "http://h/s/", "http://h/s/a/b", "http://h/xexplore/y", "explore"}) {
    const auto link = ParsePageLink(text);
    EXPECT_EQ(link.status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
  EXPECT_THAT(std::string(base::Message(ParsePageLink("http://h/logs").status())),
              HasSubstr("/logs does not show a single profile"));
  EXPECT_FALSE(IsPageLink("http.folded"));
  EXPECT_TRUE(IsPageLink("https://h/explore"));
}

TEST(PageLinkTest, FreezesTimes) {
  constexpr uint64_t kNow = 1'777'892'400'000'000'000;
  EXPECT_EQ(FrozenTime("now-1h", kNow), "1777888800000");
  EXPECT_EQ(FrozenTime("now", kNow), "1777892400000");
  EXPECT_EQ(FrozenTime("2026-05-04T10:00:00Z", kNow), "1777888800000");
  EXPECT_EQ(FrozenTime("nonsense", kNow), "nonsense");
}

}  // namespace
}  // namespace flarestack::cli
