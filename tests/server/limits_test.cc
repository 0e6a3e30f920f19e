// SPDX-License-Identifier: Apache-2.0
//
// Each limit of `serve` that has a flag, exceeded from outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "base/clock.h"
#include "base/compress/compress.h"
#include "base/text/text.h"
#include "codec/otlp/export_response.h"
#include "net/grpc/grpc_client.h"
#include "net/testing/raw_client.h"
#include "support/otlp_messages.h"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

using absl::StatusCode;
using codec::otlp::Encoding;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kTrace[] = "5b8efff798038103d269b633813fc60c";

std::string Attributes(const std::vector<std::pair<std::string, std::string>>& attributes) {
  std::string json;
  for (const auto& [key, value] : attributes) {
    base::StrAppend(&json, json.empty() ? "" : ",", R"({"key":")", key,
                    R"(","value":{"stringValue":")", value, R"("}})");
  }
  return json;
}

std::string Spans(int count, const std::string& attributes = "") {
  std::string spans;
  const uint64_t now = base::NowNanos();
  for (int i = 0; i < count; ++i) {
    base::StrAppend(&spans, i == 0 ? "" : ",", R"({"traceId":")", kTrace,
                    R"(","spanId":"eee19b7ec3c1b1)", 10 + i,
                    R"(","name":"s","startTimeUnixNano":")", now, R"(","endTimeUnixNano":")", now,
                    R"(","attributes":[)", attributes, "]}");
  }
  return base::StrCat(R"({"resourceSpans":[{"scopeSpans":[{"spans":[)", spans, "]}]}]}");
}

std::string Points(const std::vector<std::string>& attributes_of_points) {
  std::string points;
  for (const std::string& attributes : attributes_of_points) {
    base::StrAppend(&points, points.empty() ? "" : ",", R"({"timeUnixNano":")", base::NowNanos(),
                    R"(","asInt":"1","attributes":[)", attributes, "]}");
  }
  return base::StrCat(
      R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m","gauge":{"dataPoints":[)",
      points, "]}}]}]}]}");
}

class LimitsTest : public ::testing::Test {
 protected:
  void Start(const std::vector<std::string>& flags) {
    server_ = std::make_unique<ServerProcess>(folder_.File("data"), flags);
    ASSERT_TRUE(server_->is_running()) << server_->log();
    auto client = net::GrpcClient::Create({.target = server_->otlp_grpc()});
    ASSERT_TRUE(client.ok());
    grpc_ = *std::move(client);
  }

  Answer PostProfiles(const std::string& body, const std::string& encoding = "") {
    return Send(
        {.url = server_->otlp_http() + "/v1/profiles", .body = body, .content_encoding = encoding});
  }
  Answer PostJson(const std::string& path, const std::string& body) {
    return Send(
        {.url = server_->otlp_http() + path, .content_type = "application/json", .body = body});
  }
  // Without a retry delay, senders treat the code as permanent.
  void ExpectTooLargeForGood(const std::string& message, bool gzip = false) {
    const net::GrpcResult result = grpc_->Call(kProfilesMethod, message, {.gzip = gzip});
    EXPECT_EQ(result.code, StatusCode::kResourceExhausted) << result.error_message;
    const auto details = codec::otlp::DecodeRpcStatus(result.error_details, Encoding::kProtobuf);
    ASSERT_TRUE(details.ok());
    EXPECT_FALSE(details->retry_delay.has_value());
  }

  TemporaryFolder folder_;
  std::unique_ptr<ServerProcess> server_;
  std::unique_ptr<net::GrpcClient> grpc_;
};

TEST_F(LimitsTest, LimitsDecompression) {
  Start({"--max-request-bytes", "2MiB", "--max-decompressed-bytes", "4MiB",
         "--max-compression-ratio", "50"});
  const std::string repeated = NumberedMessage(1, base::NowNanos(), 30000);
  std::string dull;  // compresses, but by less than 50
  while (dull.size() < (5 << 20))
    dull += repeated;
  const std::string rejected = R"(flarestack_requests_refused_total{port="otlp_)";
  const std::string zipped = base::Gzip(dull);
  ASSERT_LT(zipped.size(), 2u << 20);
  EXPECT_EQ(PostProfiles(zipped, "gzip").status, 413);
  EXPECT_EQ(PostProfiles(base::Zstd(dull), "zstd").status, 413);
  const std::string zeros(2 << 20, '\0');  // within the size limit, but compresses by more than 50
  EXPECT_EQ(PostProfiles(base::Gzip(zeros), "gzip").status, 413);
  EXPECT_EQ(PostProfiles(base::Zstd(zeros), "zstd").status, 413);
  EXPECT_EQ(server_->Metric(rejected + R"(http",status="413",reason="expands_too_far"})"), 4u);
  ExpectTooLargeForGood(dull, true);
  ExpectTooLargeForGood(zeros, true);
  EXPECT_EQ(
      server_->Metric(rejected + R"(grpc",status="RESOURCE_EXHAUSTED",reason="expands_too_far"})"),
      2u);
  // Exceeds the request limit, but not the decompressed limit.
  std::string large = NumberedMessage(2, base::NowNanos(), 1 << 20);
  large += large;
  large += large.substr(0, large.size() / 2);
  EXPECT_EQ(PostProfiles(large).status, 413);
  EXPECT_EQ(PostProfiles(base::Gzip(large), "gzip").status, 413);
  EXPECT_EQ(PostProfiles(base::Gzip(repeated), "gzip").status, 200);
}

TEST_F(LimitsTest, LimitsTheContentOfAMessage) {
  Start({"--max-samples", "5", "--max-items", "3", "--max-table-entries", "20"});
  const std::vector<std::string> five = {"a 1", "b 1", "c 1", "d 1", "e 1"};
  EXPECT_EQ(PostProfiles(ToProtobuf(OneProfile("cart", five))).status, 200);
  std::vector<std::string> six = five;
  six.emplace_back("f 1");
  const Answer many = PostProfiles(ToProtobuf(OneProfile("cart", six)));
  EXPECT_EQ(many.status, 413);
  EXPECT_THAT(many.body, HasSubstr("samples"));
  ExpectTooLargeForGood(ToProtobuf(OneProfile("cart", six)));
  std::string deep = "a0";
  for (int i = 1; i < 20; ++i)
    base::StrAppend(&deep, ";a", i);
  EXPECT_EQ(PostProfiles(ToProtobuf(OneProfile("cart", {deep + " 1"}))).status, 413);
  EXPECT_EQ(PostJson("/v1/traces", Spans(3)).status, 200);
  EXPECT_EQ(PostJson("/v1/traces", Spans(4)).status, 413);
  EXPECT_EQ(Get(server_->http() + "/api/v1/export?format=folded").body,
            "a 1\nb 1\nc 1\nd 1\ne 1\n");
}

TEST_F(LimitsTest, LimitsAttributes) {
  Start({"--max-attributes", "2", "--max-attribute-bytes", "4"});
  const std::string three = Attributes({{"a", "long text"}, {"b", "abc\xc3\xa4"}, {"c", "x"}});
  const Answer spans = PostJson("/v1/traces", Spans(1, three));
  EXPECT_EQ(spans.status, 200);
  EXPECT_THAT(spans.body, AllOf(HasSubstr("1 attributes dropped"), HasSubstr("2 attribute values"),
                                ::testing::Not(HasSubstr("rejectedSpans"))));
  EXPECT_THAT(Get(base::StrCat(server_->http(), "/api/v1/trace/", kTrace, "?format=otlp")).body,
              AllOf(HasSubstr(R"("stringValue":"long")"), HasSubstr(R"("stringValue":"abc")"),
                    HasSubstr(R"("droppedAttributesCount":1)")));
  EXPECT_EQ(server_->Metric(R"(flarestack_otlp_attributes_dropped_total{signal="traces"})"), 1u);
  EXPECT_EQ(server_->Metric(R"(flarestack_otlp_attribute_values_cut_total{signal="traces"})"), 2u);

  const Answer points =
      PostJson("/v1/metrics", Points({three, Attributes({{"a", "long text"}}), ""}));
  EXPECT_EQ(points.status, 200);
  EXPECT_THAT(points.body,
              AllOf(HasSubstr(R"("rejectedDataPoints":"2")"), HasSubstr("too_many_attributes"),
                    HasSubstr("attribute_too_long")));
  const Answer profiles = PostProfiles(
      ToProtobuf(OneProfile("cart", {"main 1 a=long b=abc c=x", "main 1 a=much-too-long"})));
  EXPECT_EQ(profiles.status, 200);
  EXPECT_EQ(server_->Metric(R"(flarestack_otlp_attributes_dropped_total{signal="profiles"})"), 1u);
  EXPECT_EQ(Get(server_->http() + "/api/v1/export?format=folded").body, "main 2\n");
}

TEST_F(LimitsTest, LimitsSeries) {
  Start({"--max-series", "1", "--max-metric-series", "2"});
  EXPECT_EQ(PostProfiles(ToProtobuf(OneProfile("cart", {"a 1"}))).body, "");
  EXPECT_THAT(PostProfiles(ToProtobuf(OneProfile("shop", {"b 1"}))).body,
              HasSubstr("series_limit"));
  const std::string a = Attributes({{"k", "a"}});
  const std::string b = Attributes({{"k", "b"}});
  const std::string c = Attributes({{"k", "c"}});
  EXPECT_EQ(PostJson("/v1/metrics", Points({a, b})).body, "{}");
  const Answer beyond = PostJson("/v1/metrics", Points({a, c, b}));
  EXPECT_EQ(beyond.status, 200);
  EXPECT_THAT(beyond.body,
              AllOf(HasSubstr(R"("rejectedDataPoints":"1")"), HasSubstr("series_limit")));
  EXPECT_EQ(server_->Metric(
                R"(flarestack_otlp_items_rejected_total{signal="metrics",reason="series_limit"})"),
            1u);
  EXPECT_EQ(server_->Metric(R"(flarestack_otlp_items_accepted_total{signal="metrics"})"), 4u);
}

TEST_F(LimitsTest, LimitsBytesInFlight) {
  Start({"--max-in-flight-bytes", "20000"});
  // A request that can never fit is rejected permanently.
  const std::string large = NumberedMessage(1, base::NowNanos(), 30000);
  EXPECT_EQ(PostProfiles(large).status, 413);
  ExpectTooLargeForGood(large);
  // A request that does not fit next to others waits for a while, and may be retried.
  net::RawClient slow(PortOf(server_->otlp_http()));
  slow.Send(
      "POST /v1/profiles HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-protobuf\r\n"
      "Content-Length: 15000\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_THAT(slow.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 100"));
  const std::string message = NumberedMessage(1, base::NowNanos(), 10000);
  const Answer rejected = PostProfiles(message);
  EXPECT_EQ(rejected.status, 503);
  EXPECT_EQ(rejected.retry_after, "1");
  const net::GrpcResult call = grpc_->Call(kProfilesMethod, message);
  EXPECT_EQ(call.code, StatusCode::kUnavailable);
  const auto details = codec::otlp::DecodeRpcStatus(call.error_details, Encoding::kProtobuf);
  ASSERT_TRUE(details.ok());
  EXPECT_TRUE(details->retry_delay.has_value());
  EXPECT_EQ(PostProfiles(NumberedMessage(1, base::NowNanos(), 1000)).status, 200);
  EXPECT_EQ(server_->Metric("flarestack_requests_bytes_limit"), 20000u);
  EXPECT_LE(server_->Metric("flarestack_requests_bytes_max"), 20000u);
}

TEST_F(LimitsTest, LimitsRequestsAndConnections) {
  Start({"--max-requests", "1", "--max-connections", "3"});
  const uint16_t port = PortOf(server_->otlp_http());
  net::RawClient slow(port);
  slow.Send(
      "POST /v1/profiles HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-protobuf\r\n"
      "Content-Length: 1\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_THAT(slow.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 100"));  // now in flight
  net::RawClient second(port);
  const std::string empty =
      "POST /v1/profiles HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-protobuf\r\n"
      "Content-Length: 0\r\n\r\n";
  second.Send(empty);
  EXPECT_THAT(second.ReadUntil("\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("Retry-After: 1")));
  net::RawClient third(port);
  third.Send(empty);
  EXPECT_THAT(third.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(net::Exchange(port, empty),
              AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("Connection: close")));
  const std::string rejected =
      R"(flarestack_requests_refused_total{port="otlp_http",status="503",reason=")";
  EXPECT_EQ(server_->Metric(rejected + R"(requests"})"), 2u);
  EXPECT_EQ(server_->Metric(rejected + R"(connections"})"), 1u);
}

TEST_F(LimitsTest, LimitsTheTimeForAHeadAndABody) {
  Start({"--header-timeout", "50ms", "--body-timeout", "50ms", "--idle-timeout", "200ms"});
  const uint16_t port = PortOf(server_->otlp_http());
  EXPECT_THAT(net::Exchange(port, "POST /v1/profiles HTTP/1.1\r\n"), StartsWith("HTTP/1.1 408"));
  EXPECT_THAT(net::Exchange(port,
                            "POST /v1/profiles HTTP/1.1\r\nHost: x\r\n"
                            "Content-Type: application/x-protobuf\r\nContent-Length: 10\r\n\r\nx"),
              StartsWith("HTTP/1.1 408"));
  EXPECT_EQ(net::Exchange(port, ""), "");
  net::Exchange(PortOf(server_->otlp_grpc()), "");  // no HTTP/2 preface: must end
}

TEST_F(LimitsTest, RejectsInvalidLimits) {
  for (const std::vector<std::string>& flags : {std::vector<std::string>{"--max-samples", "0"},
                                                {"--max-attributes", "70000"},
                                                {"--header-timeout", "0s"},
                                                {"--body-timeout", "soon"},
                                                {"--max-connections", "-1"}}) {
    const ServerProcess server(folder_.File("data"), flags);
    EXPECT_FALSE(server.is_running()) << flags[0];
    EXPECT_THAT(server.startup_error(), HasSubstr(flags[0]));
  }
}

}  // namespace
}  // namespace flarestack::testing
