// SPDX-License-Identifier: Apache-2.0
#include "server/api/testing/response_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/text/text.h"
#include "server/api/endpoints.h"
#include "server/api/openapi.h"

namespace flarestack::server::api::testing {
namespace {

using namespace schema;  // NOLINT: the tables are written in its words
using ::testing::HasSubstr;

constexpr char kMeta[] =
    R"("meta":{"watermark":1,"partial":false,"scanned":{"parts":0,"samples":0},"took_ms":0.5,)"
    R"("request_id":"a"})";

std::string Problems(const Schema& schema, std::string_view json) {
  return CheckValue(Json::parse(json), schema);
}

TEST(ResponseCheckTest, TakesWhatTheSchemaSays) {
  const Schema row = Object({{"name", Text()}, Optional("line", Integer()), {"share", Number()}});
  EXPECT_EQ(Problems(row, R"({"name":"a","line":1,"share":0.5})"), "");
  EXPECT_EQ(Problems(row, R"({"name":"a","share":1})"), "");
  EXPECT_EQ(Problems(ListOf(row), "[]"), "");
  EXPECT_EQ(Problems(MapOf(Nullable(Integer())), R"({"a":null,"b":2})"), "");
  EXPECT_EQ(Problems(Any(), "null"), "");
  EXPECT_EQ(Problems(Nullable(Time()), "null"), "");
  EXPECT_EQ(Problems(Time(), R"("1772366400000000000")"), "");
}

TEST(ResponseCheckTest, NamesEachProblemByItsPath) {
  const Schema rows = ListOf(Object({{"name", Text()}, {"self", Integer()}}));
  EXPECT_EQ(Problems(rows, R"([{"name":"a","self":1},{"name":2,"other":0}])"),
            "[1].name: text expected, found 2\n[1].self: missing\n[1].other: not in the schema\n");
  EXPECT_EQ(Problems(Object({{"rows", rows}}), R"({"rows":[{"name":"a","self":0.5}]})"),
            "rows[0].self: integer expected, found 0.5\n");
  EXPECT_EQ(Problems(MapOf(Integer()), R"({"a":"1"})"), "a: integer expected, found \"1\"\n");
  EXPECT_EQ(Problems(Boolean(), "null"), "(root): boolean expected, found null\n");
  EXPECT_EQ(Problems(OneOf({"exact", "inferred"}), R"("guessed")"),
            "(root): unknown word \"guessed\"\n");
  EXPECT_EQ(Problems(Time(), R"("now")"), "(root): time in digits expected, found \"now\"\n");
  EXPECT_EQ(Problems(Time(), "5"), "(root): time in digits expected, found 5\n");
  EXPECT_EQ(Problems(Named("Nothing"), "{}"), "(root): unknown schema Nothing\n");
}

TEST(ResponseCheckTest, AResponseHasMeta) {
  EXPECT_EQ(CheckValue(Json::parse(R"({"services":[]})"), "Services"), "meta: missing\n");
  EXPECT_EQ(CheckValue(Json::parse(base::StrCat(R"({"services":[],)", kMeta, "}")), "Services"),
            "");
  EXPECT_EQ(CheckValue(Json::parse(base::StrCat(
                           R"({"services":[],"empty":{"reason":"none","why":1},)", kMeta, "}")),
                       "Services"),
            "empty.why: not in the schema\n");
}

TEST(ResponseCheckTest, FindsTheEndpointOfARequest) {
  EXPECT_EQ(FindEndpoint("GET", "/api/v1/symbols/health?limit=1")->path, "/symbols/health");
  EXPECT_EQ(FindEndpoint("GET", "/api/v1/symbols/00ff")->path, "/symbols/{id}");
  EXPECT_EQ(FindEndpoint("DELETE", "/api/v1/symbols/00ff")->method, "DELETE");
  EXPECT_EQ(FindEndpoint("GET", "/s/abc")->path, "/s/{id}");
  EXPECT_EQ(FindEndpoint("GET", "/api/v1/symbols/"), nullptr);
  EXPECT_EQ(FindEndpoint("GET", "/api/v1/topmost"), nullptr);
  EXPECT_EQ(FindEndpoint("POST", "/api/v1/top"), nullptr);
}

TEST(ResponseCheckTest, ChecksTypeAndBodyOfAResponse) {
  Exchange exchange = {.path = "/api/v1/logs?format=otlp",
                       .status = 200,
                       .content_type = "application/json",
                       .body = R"({"resourceLogs":[]})"};
  EXPECT_EQ(CheckExchange(exchange), "");
  exchange.body = R"({"records":[],"next":null})";
  EXPECT_EQ(CheckExchange(exchange), "meta: missing\n");
  exchange.body = "oops";
  EXPECT_THAT(CheckExchange(exchange), HasSubstr("not JSON"));
  exchange.content_type = "text/html";
  EXPECT_THAT(CheckExchange(exchange), HasSubstr("undocumented content type \"text/html\""));
  exchange.status = 400;
  EXPECT_THAT(CheckExchange(exchange), HasSubstr("error with content type"));
  exchange.content_type = "application/json";
  exchange.body = R"({"code":"x","message":"y","hint":"","request_id":"z"})";
  EXPECT_EQ(CheckExchange(exchange), "");
  exchange.status = 200;
  EXPECT_NE(CheckExchange(exchange), "");
  exchange.status = 201;
  EXPECT_EQ(CheckExchange(exchange), "undocumented status 201\n");
  exchange.path = "/s/abc";
  EXPECT_EQ(CheckExchange(exchange), "");
}

// Finds undefined names, which no other test would notice.
void CollectNames(const Schema& schema, std::set<std::string_view>* names) {
  if (schema.kind == Schema::Kind::kNamed)
    names->insert(schema.name);
  for (const Schema& element : schema.element)
    CollectNames(element, names);
  for (const Field& field : schema.fields)
    CollectNames(field.schema, names);
}

TEST(SchemaTest, EachNameIsDefinedOnceAndUsed) {
  std::set<std::string_view> used = {"Answered", "Error"};
  for (const Endpoint& endpoint : Endpoints()) {
    used.insert(endpoint.responses.begin(), endpoint.responses.end());
    EXPECT_TRUE(!endpoint.responses.empty() || endpoint.path == "/export")
        << endpoint.path << " has no response schema";
  }
  std::set<std::string_view> defined;
  for (const NamedSchema& named : All()) {
    EXPECT_TRUE(defined.insert(named.name).second) << named.name << " is defined twice";
    CollectNames(named.schema, &used);
  }
  EXPECT_EQ(used, defined);
}

TEST(SchemaTest, IsWrittenAsJsonSchema) {
  EXPECT_EQ(ToJson(Object({{"id", Text(), "its name"}, Optional("to", Nullable(Time()))})).dump(),
            R"({"type":"object","required":["id"],"properties":{)"
            R"("id":{"type":"string","description":"its name"},)"
            R"("to":{"anyOf":[{"$ref":"#/components/schemas/Time"},{"type":"null"}]}}})");
  EXPECT_EQ(ToJson(Nullable(ListOf(MapOf(Number())))).dump(),
            R"({"type":["array","null"],"items":{"type":"object","additionalProperties":)"
            R"({"type":"number"}}})");
  EXPECT_EQ(ToJson(OneOf({"a", "b"})).dump(), R"({"type":"string","enum":["a","b"]})");
  EXPECT_EQ(ToJson(Response("Removed", {{"removed", Boolean()}})).dump(),
            R"({"allOf":[{"$ref":"#/components/schemas/Answered"},{"type":"object",)"
            R"("required":["removed"],"properties":{"removed":{"type":"boolean"}}}]})");
}

}  // namespace
}  // namespace flarestack::server::api::testing
