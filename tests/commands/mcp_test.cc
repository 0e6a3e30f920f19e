// SPDX-License-Identifier: Apache-2.0
//
// `flarestack mcp` as an assistant uses it: lines in, lines out, with a server behind it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "base/text/text.h"
#include "store/testing/event_text.h"
#include "support/otlp_messages.h"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kNoon = 1'772'366'400 * kSecond;  // 2026-03-01T12:00:00Z

class McpTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(server_.is_running()) << server_.log(); }

  void SendProfiles(const std::vector<store::testing::TextProfile>& profiles) {
    EXPECT_EQ(Send({.url = server_.otlp_http() + "/v1/profiles",
                    .body = ToProtobuf(store::testing::MakeBatch(profiles))})
                  .status,
              200);
  }
  void SendCart() {
    SendProfiles({{.service = "cart",
                   .version = "1.4",
                   .time = kNoon,
                   .lines = {"main;serve;parse 30", "main;serve;render 50", "main;gc 20"}}});
  }

  // One response per request, in order.
  std::vector<Json> Talk(const std::string& lines) {
    const RunResult run = Flarestack({"mcp", "--server", server_.http()}, {.input = lines});
    EXPECT_EQ(run.exit_code, 0) << run.error;
    std::vector<Json> responses;
    std::istringstream in(run.out);
    for (std::string line; std::getline(in, line);) {
      responses.push_back(Json::parse(line, nullptr, false));
      EXPECT_FALSE(responses.back().is_discarded()) << line;
    }
    return responses;
  }

  struct ToolResult {
    std::string text;
    bool is_error = false;
  };
  ToolResult Call(const std::string& tool, Json arguments) {
    const Json request = {{"jsonrpc", "2.0"},
                          {"id", 1},
                          {"method", "tools/call"},
                          {"params", {{"name", tool}, {"arguments", std::move(arguments)}}}};
    const std::vector<Json> responses = Talk(request.dump() + "\n");
    EXPECT_EQ(responses.size(), 1u);
    const Json& result = responses.at(0)["result"];
    return {.text = result["content"][0]["text"].get<std::string>(),
            .is_error = result["isError"].get<bool>()};
  }
  std::string Text(const std::string& tool, Json arguments) {
    arguments["from"] = "2026-03-01T12:00:00Z";
    arguments["to"] = "2026-03-01T13:00:00Z";
    const ToolResult response = Call(tool, std::move(arguments));
    EXPECT_FALSE(response.is_error) << response.text;
    return response.text;
  }

  TemporaryFolder folder_;
  ServerProcess server_{folder_.File("data"), {"--retention", "0"}};
};

TEST_F(McpTest, ListsTools) {
  const std::vector<Json> responses = Talk(
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26"}})"
      "\n"
      R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
      "\n"
      R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  ASSERT_EQ(responses.size(), 2u);
  EXPECT_EQ(responses[0]["result"]["protocolVersion"], "2025-03-26");
  std::string names;
  for (const Json& tool : responses[1]["result"]["tools"]) {
    names += tool["name"].get<std::string>() + " ";
    EXPECT_EQ(tool["inputSchema"]["type"], "object");
    EXPECT_EQ(tool["annotations"]["readOnlyHint"], true);
    // The endpoint accepts every declared parameter of the tool.
    Json arguments = Json::object();
    for (const auto& [name, property] : tool["inputSchema"]["properties"].items())
      arguments[name] = property["type"] == "array" ? Json::array({"x"}) : Json("x");
    EXPECT_THAT(Call(tool["name"], arguments).text, Not(HasSubstr("unknown parameter"))) << names;
  }
  EXPECT_EQ(names, "services top flame_subtree diff regressions links traces trace logs metrics ");
}

TEST_F(McpTest, Profiles) {
  SendCart();
  EXPECT_EQ(Call("services", Json::object()).text,
            "service  instances  series  last seen             versions  types\n"
            "cart             1       1  2026-03-01T12:00:00Z  1.4       cpu:nanoseconds\n");
  EXPECT_EQ(Text("top", {{"limit", 2}, {"filter", {"drop:gc"}}}), R"(cpu: 80 ns
self   %        total  %        function  where
50 ns  62.50 %  50 ns  62.50 %  render
30 ns  37.50 %  30 ns  37.50 %  parse
)");
}

TEST_F(McpTest, CallPathsHaveTheSameHashFromEveryRoot) {
  SendCart();
  const std::string all = Text("flame_subtree", {{"nodes", 4}});
  EXPECT_THAT(all, HasSubstr("cpu: 100 ns\n"));
  EXPECT_THAT(all, HasSubstr("100 ns  100.00 %"));
  EXPECT_THAT(all, HasSubstr("    serve\n"));
  EXPECT_THAT(all, HasSubstr("(other) "));
  // "80 ns  80 %  0 ns  HASH  serve"
  std::istringstream words(all.substr(all.find("\n80 ns")));
  std::string hash;
  for (int i = 0; i < 7; ++i)
    words >> hash;
  const std::string below = Text("flame_subtree", {{"root", hash}});
  EXPECT_THAT(below, HasSubstr("below main\n"));
  EXPECT_THAT(below, HasSubstr(hash + "  serve\n"));
  EXPECT_THAT(below, HasSubstr("  render\n"));
}

TEST_F(McpTest, Comparisons) {
  SendCart();
  SendProfiles({{.service = "cart",
                 .version = "1.5",
                 .time = kNoon + 1800 * kSecond,
                 .lines = {"main;serve;parse 90", "main;serve;render 50"}}});
  const std::string diff = Text("diff", {{"query", "{service.version=\"1.5\"}"},
                                         {"before_query", "{service.version=\"1.4\"}"},
                                         {"norm", "none"}});
  EXPECT_THAT(diff, HasSubstr("cpu: 100 ns -> 140 ns, compared by none"));
  EXPECT_THAT(diff, HasSubstr("30 ns   90 ns   +60 ns  +200.0 %"));
  EXPECT_THAT(diff, HasSubstr("main > serve > parse"));
  EXPECT_EQ(Text("regressions", {{"query", "{service.name=\"cart\"}"}}),
            "nothing found: no function changed significantly");
}

TEST_F(McpTest, OtherSignals) {
  const std::string trace(32, 'a');
  const auto post = [&](const std::string& path, const std::string& body) {
    EXPECT_EQ(
        Send({.url = server_.otlp_http() + path, .content_type = "application/json", .body = body})
            .status,
        200);
  };
  post("/v1/traces",
       TracesRequest("shop", {base::StrCat(R"({"traceId":")", trace,
                                           R"(","spanId":"000000000000000a","name":"GET /",)",
                                           R"("startTimeUnixNano":)", kNoon,
                                           R"(,"endTimeUnixNano":)", kNoon + 2'000'000, "}")}));
  post("/v1/logs", LogsRequest("shop", {base::StrCat(R"({"body":{"stringValue":"sold out"},)",
                                                     R"("timeUnixNano":)", kNoon, "}")}));
  EXPECT_THAT(Text("traces", {{"min_duration", "1ms"}}), HasSubstr(trace + "  shop     GET /\n"));
  EXPECT_THAT(Call("trace", {{"trace_id", trace}}).text, HasSubstr("2 ms, 1 span, 0 errors"));
  EXPECT_THAT(Text("logs", {{"text", "sold"}}), HasSubstr("shop     sold out\n"));
  EXPECT_THAT(Text("links", {{"trace", trace}, {"span", "000000000000000a"}}),
              HasSubstr("/api/v1/"));
  EXPECT_THAT(Call("metrics", Json::object()).text, HasSubstr("nothing found"));
}

TEST_F(McpTest, ResponsesAreShort) {
  std::vector<std::string> lines;
  for (int i = 0; i < 500; ++i)
    lines.push_back(base::StrCat("main;function_with_a_long_name_", i, " ", i + 1));
  SendProfiles({{.time = kNoon, .lines = lines}});
  const std::string text = Text("top", {{"limit", 500}});
  EXPECT_LT(text.size(), 8100u);
  EXPECT_THAT(text, HasSubstr(" more lines\n"));
}

TEST_F(McpTest, ReportsErrorsToTheCaller) {
  const ToolResult bad = Call("top", {{"query", "{a="}});
  EXPECT_TRUE(bad.is_error);
  EXPECT_THAT(bad.text, HasSubstr("selector"));
  const ToolResult unknown = Call("top", {{"colour", "red"}});
  EXPECT_TRUE(unknown.is_error);
  EXPECT_EQ(unknown.text, "unknown argument \"colour\"");
  const ToolResult missing = Call("trace", Json::object());
  EXPECT_TRUE(missing.is_error);
  EXPECT_EQ(missing.text, "trace_id is missing");
}

TEST_F(McpTest, SurvivesGarbage) {
  const std::vector<Json> responses = Talk("\n\n}{\n" + std::string((1 << 20) + 1, 'x') + "\n" +
                                           R"({"jsonrpc":"2.0","id":9,"method":"ping"})" + "\n");
  ASSERT_EQ(responses.size(), 3u);
  EXPECT_EQ(responses[0]["error"]["code"], -32700);
  EXPECT_THAT(responses[1]["error"]["message"].get<std::string>(), HasSubstr("1048576 bytes"));
  EXPECT_EQ(responses[2]["id"], 9);
  server_.Stop();
  EXPECT_TRUE(Call("services", Json::object()).is_error);
}

}  // namespace
}  // namespace flarestack::testing
