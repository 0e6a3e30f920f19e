// SPDX-License-Identifier: Apache-2.0
#include "cli/ask/mcp_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flarestack::cli {
namespace {

using ::testing::HasSubstr;

McpSession MakeSession() {
  return McpSession({{.name = "echo",
                      .description = "returns its arguments",
                      .input_schema = {{"type", "object"}},
                      .call = [](const McpArguments& arguments) {
                        McpResult result;
                        for (const auto& [name, values] : arguments) {
                          result.text += name + "=";
                          for (const std::string& value : values)
                            result.text += value + ",";
                        }
                        result.is_error = arguments.contains("bad");
                        return result;
                      }}});
}

std::string Answer(std::string_view line) { return MakeSession().Answer(line).value_or("nothing"); }

TEST(McpSessionTest, AgreesOnAVersion) {
  const auto version = [](const std::string& wanted) {
    const std::string line = R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":)"
                             R"({"protocolVersion":")" +
                             wanted + "\"}}";
    const auto response = nlohmann::json::parse(Answer(line));
    return response["result"]["protocolVersion"].get<std::string>();
  };
  EXPECT_EQ(version("2024-11-05"), "2024-11-05");
  EXPECT_EQ(version("2025-03-26"), "2025-03-26");
  EXPECT_EQ(version("2025-06-18"), "2025-06-18");
  EXPECT_EQ(version("1999-01-01"), "2025-06-18");
}

TEST(McpSessionTest, CallsTools) {
  EXPECT_EQ(Answer(R"({"jsonrpc":"2.0","id":"x","method":"ping"})"),
            R"({"jsonrpc":"2.0","id":"x","result":{}})");
  EXPECT_EQ(Answer(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo",)"
                   R"("arguments":{"a":"1","b":2,"c":["x",true],"d":null}}})"),
            R"({"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text",)"
            R"("text":"a=1,b=2,c=x,true,"}],"isError":false}})");
  EXPECT_THAT(Answer(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo",)"
                     R"("arguments":{"bad":1}}})"),
              HasSubstr(R"("isError":true)"));
  EXPECT_THAT(Answer(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"),
              HasSubstr(R"("tools":[{"name":"echo","description":"returns its arguments",)"
                        R"("inputSchema":{"type":"object"})"));
}

TEST(McpSessionTest, RejectsUnknownRequests) {
  EXPECT_EQ(Answer("{"), R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,)"
                         R"("message":"the line is not JSON"}})");
  EXPECT_THAT(Answer("[]"), HasSubstr("-32600"));
  EXPECT_THAT(Answer(R"({"id":1})"), HasSubstr(R"("id":1,"error":{"code":-32600)"));
  EXPECT_THAT(Answer(R"({"id":1,"method":"ping"})"), HasSubstr("-32600"));
  EXPECT_THAT(Answer(R"({"jsonrpc":"2.0","id":null,"method":"ping"})"), HasSubstr("-32600"));
  EXPECT_THAT(Answer(R"({"jsonrpc":"2.0","id":1,"method":"resources/list"})"), HasSubstr("-32601"));
  for (const char* params : {"{}", "[]", "1", R"({"name":1})", R"({"name":"x"})"}) {
    EXPECT_THAT(Answer(std::string(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":)") +
                       params + "}"),
                HasSubstr("-32602"));
  }
}

TEST(McpSessionTest, DoesNotRespondToNotificationsAndResponses) {
  EXPECT_EQ(Answer(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"), "nothing");
  EXPECT_EQ(Answer(R"({"jsonrpc":"2.0","id":1,"result":{}})"), "nothing");
}

TEST(McpSessionTest, DeepMessagesDoNotOverflowTheStack) {
  std::string line = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":)";
  line += std::string(500'000, '[') + std::string(500'000, ']') + "}";
  EXPECT_THAT(Answer(line), HasSubstr("nested too deeply"));
  EXPECT_THAT(Answer(R"({"jsonrpc":"2.0","id":"[[[[\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",)"
                     R"("method":"ping"})"),
              HasSubstr("result"));
}

TEST(McpSessionTest, DropsLongLines) {
  LineSplitter splitter(4);
  std::string seen;
  const auto take = [&](std::optional<std::string_view> line) {
    seen += line.has_value() ? "<" + std::string(*line) + ">" : "too long ";
  };
  for (const char* piece : {"a", "b\nabcd\r\n", "abcd\n\nab", "cde", "fgh", "\nz\n", "rest"})
    splitter.Feed(piece, take);
  EXPECT_EQ(seen, "<ab>too long <abcd>too long <z>");
}

}  // namespace
}  // namespace flarestack::cli
