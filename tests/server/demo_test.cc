// SPDX-License-Identifier: Apache-2.0
//
// The demo: follows its guide step by step through the API, and checks that it cleans up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/text/text.h"
#include "net/http/http_target.h"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

using Json = nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// One demo shared by all read-only tests. `--speed 0` generates no new data.
class DemoTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    demo_ = ServerProcess::OfDemo(folder_->path(), {"--speed", "0"}).release();
  }
  static void TearDownTestSuite() {
    delete demo_;
    delete folder_;
  }
  void SetUp() override {
    ASSERT_TRUE(demo_->is_running()) << demo_->log();
    guide_ = Fetch("/api/v1/guide");
    ASSERT_EQ(guide_["steps"].size(), 7u) << guide_;
  }

  static Json Fetch(const std::string& target) {
    const Answer response = Get(demo_->http() + target);
    EXPECT_EQ(response.status, 200) << target << "\n" << response.body << response.error;
    return Json::parse(response.body, nullptr, false);
  }

  net::HttpTarget PageOf(size_t step) const {
    const auto target = net::ParseTarget(guide_["steps"][step]["path"].get<std::string>());
    EXPECT_TRUE(target.ok());
    return target.value_or(net::HttpTarget());
  }

  // Sends an API request with these parameters of a step's page.
  Json GetLike(size_t step, const std::string& target,
               const std::vector<std::string>& parameters) const {
    std::string url = target;
    const net::HttpTarget page = PageOf(step);
    for (const std::string& name : parameters) {
      const auto value = page.query.Find(name);
      EXPECT_TRUE(value.has_value()) << name << " of " << guide_["steps"][step];
      base::StrAppend(&url, url.find('?') == std::string::npos ? "?" : "&", name, "=",
                      UrlEncode(value.value_or("")));
    }
    return Fetch(url);
  }

  std::string TextOf(size_t step) const { return guide_["steps"][step]["text"]; }
  std::string TraceId() const { return PageOf(1).path.substr(std::string("/trace/").size()); }

  static TemporaryFolder* folder_;
  static ServerProcess* demo_;
  Json guide_;
};

TemporaryFolder* DemoTest::folder_ = nullptr;
ServerProcess* DemoTest::demo_ = nullptr;

TEST_F(DemoTest, GuideHasSixStepsAndLeadsToYourOwnProgram) {
  EXPECT_NE(guide_["title"], "");
  EXPECT_TRUE(guide_["meta"].is_object());
  // The last step has no page: the UI shows its commands.
  const std::vector<std::string> pages = {"/charts", "/trace/", "/explore", "/fn/",
                                          "/logs",   "/diff",   ""};
  for (size_t i = 0; i < pages.size(); ++i) {
    EXPECT_NE(guide_["steps"][i]["title"], "");
    EXPECT_NE(guide_["steps"][i]["text"], "");
    EXPECT_THAT(guide_["steps"][i]["path"].get<std::string>(), StartsWith(pages[i]));
    // Times are absolute: a step shows the same data however long the demo runs.
    EXPECT_THAT(guide_["steps"][i]["path"].get<std::string>(), Not(HasSubstr("now")));
  }
  EXPECT_EQ(guide_["steps"][6]["path"], "");
}

TEST_F(DemoTest, MetricRisesAndItsExemplarIsTheSlowTrace) {
  const std::string request =
      "/api/v1/metrics/query?name=http.server.request.duration&by=service.version&agg=p95";
  const Json chart = GetLike(0, request + "&step=2400s", {"q", "from", "to"});
  std::map<std::string, double> p95;
  std::vector<std::string> traces;
  for (const Json& line : chart["lines"]) {
    for (const Json& value : line["values"]) {
      double& worst = p95[line["key"]["service.version"]];
      worst = std::max(worst, value.is_number() ? value.get<double>() : 0);
    }
    for (const Json& exemplar : line["exemplars"])
      traces.push_back(exemplar["trace_id"]);
  }
  EXPECT_GT(p95["1.4.2"], p95["1.4.1"] * 1.2);
  EXPECT_THAT(traces, Contains(TraceId()));
}

TEST_F(DemoTest, TraceIsSlowWhereTheGuideSaysSo) {
  const Json trace = Fetch("/api/v1/trace/" + TraceId());
  const std::vector<std::string> services = trace["services"];
  EXPECT_EQ(services.size(), 4u);
  const std::vector<std::string> ids = trace["spans"]["span_id"];
  EXPECT_THAT(ids, Contains(std::string(PageOf(1).query.Find("span").value_or(""))));
  // The trace page selects the span that the next step profiles.
  EXPECT_EQ(PageOf(1).query.Find("span"), PageOf(2).query.Find("span"));
  const auto slow = std::ranges::find(ids, PageOf(2).query.Find("span").value_or(""));
  ASSERT_NE(slow, ids.end());
  const auto at = static_cast<size_t>(slow - ids.begin());
  const size_t name = trace["spans"]["name"][at];
  EXPECT_EQ(trace["names"][name], "apply coupons");
  const uint64_t duration = trace["spans"]["duration"][at];
  EXPECT_GT(duration * 2, trace["duration"].get<uint64_t>());
  const std::string millis = fmt::format("{:.0f} ms", static_cast<double>(duration) * 1e-6);
  EXPECT_THAT(TextOf(1), HasSubstr(millis));
  EXPECT_THAT(TextOf(4), HasSubstr("coupon rule took " + millis));
}

TEST_F(DemoTest, SpanProfileLeadsToTheLine) {
  const Json top = GetLike(2, "/api/v1/top?sort=total&limit=200", {"type", "trace", "span"});
  std::map<std::string, int64_t> totals;
  for (const Json& row : top["rows"])
    totals[row["function"]] = row["total"];
  EXPECT_GT(totals["std::regex_search"] * 10, totals["start_thread"] * 8) << top;
  // All samples belong to the span.
  EXPECT_EQ(totals["shop::Checkout::apply_coupons"], totals["start_thread"]);

  const std::string function = UrlEncode("shop::Coupon::matches");
  const Json of_span =
      GetLike(2, "/api/v1/lines?fn=" + function, {"type", "trace", "span"})["rows"];
  const Json of_all = GetLike(3, "/api/v1/lines?fn=" + function, {"q", "from", "to"})["rows"];
  for (const Json* const rows : {&of_span, &of_all}) {
    int64_t most = 0;
    int64_t line = 0;
    for (const Json& row : *rows) {
      if (row["total"].get<int64_t>() > most) {
        most = row["total"];
        line = row["line"];
      }
    }
    EXPECT_EQ(line, 88) << *rows;
  }
  EXPECT_EQ(PageOf(3).path, "/fn/shop::Coupon::matches");
}

TEST_F(DemoTest, LogContainsTheRuleAndTheSlowRequest) {
  const Json logs = GetLike(4, "/api/v1/logs", {"q", "from", "to", "order", "text"});
  ASSERT_GT(logs["records"].size(), 2u);
  EXPECT_THAT(logs["records"][0]["body"].get<std::string>(), StartsWith("coupon rule loaded"));
  std::map<std::string, std::string> bodies;  // key: trace
  for (const Json& record : logs["records"])
    bodies[record.value("trace_id", "")] = record["body"];
  EXPECT_THAT(bodies[TraceId()], StartsWith("coupon rule took "));
  EXPECT_THAT(TextOf(4),
              HasSubstr("\"" + bodies[TraceId()].substr(0, bodies[TraceId()].find(',')) + "\""));
}

TEST_F(DemoTest, ComparisonNamesTheSearch) {
  const Json diff = GetLike(5, "/api/v1/diff", {"q", "type", "from", "to", "norm", "b.q"});
  EXPECT_NEAR(diff["total_ratio"].get<double>(), 1.4, 0.12);
  EXPECT_THAT(TextOf(5),
              HasSubstr(fmt::format("{:+.1f} %", (diff["total_ratio"].get<double>() - 1) * 100)));
  ASSERT_EQ(diff["explain"].size(), 1u) << diff["explain"];
  EXPECT_EQ(diff["explain"][0]["path"].back(), "std::regex_search");
  EXPECT_EQ(diff["explain"][0]["before"], 0);
  const Json changes =
      Fetch("/api/v1/regressions?q=" + UrlEncode(R"({service.name="checkout"})") + "&from=now-1h");
  EXPECT_THAT(changes.dump(), HasSubstr("std::regex_search"));
}

TEST_F(DemoTest, EveryProfileTypeHasAFinding) {
  const auto top = [](std::string_view service, std::string_view type) {
    return Fetch(base::StrCat("/api/v1/top?sort=total&from=now-1h&type=", type, "&q=",
                              UrlEncode(base::StrCat(R"({service.name=")", service, R"("})"))))
        .dump();
  };
  EXPECT_THAT(top("payments", "offcpu"), HasSubstr("sync.(*Mutex).Lock"));
  EXPECT_THAT(top("inventory", "inuse_space"), HasSubstr("shop.StockCache.put"));
  EXPECT_THAT(top("storefront", "cpu"), HasSubstr("Template.fill"));
  EXPECT_THAT(top("recommendations", "cpu"), HasSubstr("Ranker.rank"));
}

TEST_F(DemoTest, SentDataFollowsTheSpecification) {
  const std::string file = folder_->File("demo.otlp");
  const Answer exported = Get(demo_->http() + "/api/v1/export?format=otlp&from=now-10m");
  ASSERT_EQ(exported.status, 200);
  folder_->Write("demo.otlp", exported.body);
  const RunResult check = Flarestack({"check", "--strict", file});
  EXPECT_EQ(check.exit_code, 0) << check.out << check.error;
  std::filesystem::remove(file);
}

TEST(DemoProcessTest, SignalsEndItAndLeaveNothingBehind) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    const TemporaryFolder folder;
    const auto demo = ServerProcess::OfDemo(folder.path());
    ASSERT_TRUE(demo->is_running()) << demo->log();
    EXPECT_THAT(folder.Listing(), StartsWith("flarestack-demo-"));
    EXPECT_EQ(demo->Stop(signal), 0) << demo->log();
    EXPECT_EQ(folder.Listing(), "");
  }
}

TEST(DemoProcessTest, ErrorLeavesNothingBehind) {
  const TemporaryFolder folder;
  const auto demo = ServerProcess::OfDemo(folder.path(), {"--seed", "3"});
  ASSERT_TRUE(demo->is_running()) << demo->log();
  const TemporaryFolder other;
  const RunResult second =
      RunProgram({"/usr/bin/env", "TMPDIR=" + other.path(), FLARESTACK_PROGRAM, "demo", "--no-open",
                  "--http", demo->http().substr(std::string("http://").size())});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.error, HasSubstr("in use"));
  EXPECT_EQ(other.Listing(), "");
}

TEST(DemoProcessTest, KeptDataIsAnOrdinaryFolder) {
  const TemporaryFolder folder;
  const std::string data = folder.File("data");
  const auto demo =
      ServerProcess::OfDemo(folder.path(), {"--speed", "0", "--keep", "--data-dir", data});
  ASSERT_TRUE(demo->is_running()) << demo->log();
  EXPECT_EQ(demo->Stop(), 0) << demo->log();
  EXPECT_THAT(demo->log(), HasSubstr("flarestack serve --data-dir " + data));
  ServerProcess server(data);
  ASSERT_TRUE(server.is_running()) << server.log();
  EXPECT_THAT(Get(server.http() + "/api/v1/services").body, HasSubstr("checkout"));
  // A server without a guide returns an empty one.
  const Json guide = Json::parse(Get(server.http() + "/api/v1/guide").body);
  EXPECT_TRUE(guide["steps"].is_array());
  EXPECT_TRUE(guide["steps"].empty());
  const RunResult again = Flarestack({"demo", "--no-open", "--keep", "--data-dir", data});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.error, HasSubstr("is not empty"));
}

}  // namespace
}  // namespace flarestack::testing
