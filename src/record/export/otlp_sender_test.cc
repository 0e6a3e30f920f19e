// SPDX-License-Identifier: Apache-2.0
//
// Tests when a request is retried and how long the sender waits, with a clock that does not wait.
#include "record/export/otlp_sender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "base/status.h"
#include "base/text/text.h"
#include "net/grpc/grpc_server.h"
#include "net/http/http_server.h"
#include "net/testing/gate.h"

namespace flarestack::record::exporting {
namespace {

using codec::otlp::Encoding;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr char kMethod[] =
    "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export";

std::string RetryInfo(milliseconds delay, Encoding encoding) {
  codec::otlp::RpcStatus status;
  status.message = "busy";
  status.retry_delay = delay;
  return EncodeRpcStatus(status, encoding);
}

class OtlpSenderTest : public ::testing::Test {
 protected:
  // Serves the responses in turn; the last one repeats.
  void ServeHttp(std::vector<net::HttpResponse> responses) {
    net::HttpServerOptions options;
    options.routes = {
        {"POST", "/v1development/profiles", [this, responses](net::HttpRequest& request) {
           saw_type_ = request.headers.Get("Content-Type");
           saw_token_ = request.headers.Get("Authorization");
           saw_body_ = request.body;
           return responses[std::min(size_t{calls_++}, responses.size() - 1)];
         }}};
    auto server = net::HttpServer::Start(std::move(options));
    ASSERT_TRUE(server.ok());
    http_ = *std::move(server);
    target_.url = base::StrCat("http://127.0.0.1:", http_->port(), "/v1development/profiles");
  }

  void ServeGrpc(std::vector<net::GrpcResponse> responses) {
    net::GrpcServerOptions options;
    options.methods = {{kMethod, [this, responses](net::GrpcRequest& request) {
                          saw_token_ = request.metadata.Get("authorization");
                          return responses[std::min(size_t{calls_++}, responses.size() - 1)];
                        }}};
    auto server = net::GrpcServer::Start(std::move(options));
    ASSERT_TRUE(server.ok());
    grpc_ = *std::move(server);
    target_.protocol = OtlpProtocol::kGrpc;
    target_.address = base::StrCat("127.0.0.1:", grpc_->port());
  }

  absl::StatusOr<codec::otlp::PartialSuccess> Send(const std::string& profiles = "") {
    OtlpSenderOptions options;
    options.target = target_;
    options.wait = [this](milliseconds delay) { waits_.push_back(delay); };
    options.on_retry = [this](const OtlpRetry& retry) { retries_.push_back(retry); };
    auto sender = OtlpSender::Create(std::move(options));
    EXPECT_TRUE(sender.ok());
    return (*sender)->Send(profiles);
  }

  OtlpTarget target_;
  std::atomic<uint32_t> calls_ = 0;
  std::string saw_type_;
  std::string saw_token_;
  std::string saw_body_;
  std::vector<milliseconds> waits_;
  std::vector<OtlpRetry> retries_;
  std::unique_ptr<net::HttpServer> http_;
  std::unique_ptr<net::GrpcServer> grpc_;
};

TEST_F(OtlpSenderTest, WaitsAtLeastForRetryAfter) {
  ServeHttp({{.status = 503, .headers = {{"Retry-After", "7"}}},
             {.status = 429, .headers = {{"Retry-After", "2"}}},
             {.status = 200}});
  EXPECT_TRUE(Send().ok());
  ASSERT_EQ(waits_.size(), 2u);
  EXPECT_GE(waits_[0], milliseconds(7000));
  EXPECT_GE(waits_[1], milliseconds(2000));
  ASSERT_EQ(retries_.size(), 2u);
  EXPECT_EQ(retries_[0].attempt, 2);
  EXPECT_EQ(retries_[0].attempts_max, 6);
  EXPECT_EQ(retries_[0].delay, waits_[0]);
  EXPECT_THAT(retries_[0].why, HasSubstr("503"));
}

TEST_F(OtlpSenderTest, WaitsForRetryInfo) {
  ServeHttp({{.status = 503, .body = RetryInfo(milliseconds(3500), Encoding::kProtobuf)},
             {.status = 200}});
  EXPECT_TRUE(Send().ok());
  ASSERT_EQ(waits_.size(), 1u);
  EXPECT_GE(waits_[0], milliseconds(3500));
}

TEST_F(OtlpSenderTest, GivesUpAfterTheMaximumNumberOfAttempts) {
  ServeHttp({{.status = 503, .headers = {{"Retry-After", "1"}}}});
  EXPECT_FALSE(Send().ok());
  EXPECT_EQ(calls_, 6u);
  EXPECT_EQ(waits_.size(), 5u);
}

TEST_F(OtlpSenderTest, DoesNotWaitForHours) {
  ServeHttp({{.status = 503, .headers = {{"Retry-After", "3600"}}}});
  EXPECT_THAT(base::Message(Send().status()), HasSubstr("retry after 3600 s"));
  EXPECT_EQ(calls_, 1u);
  EXPECT_TRUE(waits_.empty());
}

TEST_F(OtlpSenderTest, DoesNotRetryFinalErrors) {
  ServeHttp({{.status = 413, .headers = {{"Retry-After", "1"}}}});
  EXPECT_FALSE(Send().ok());
  EXPECT_EQ(calls_, 1u);
}

TEST_F(OtlpSenderTest, RetriesGrpcByCodeAndDelay) {
  net::GrpcResponse busy;
  busy.code = absl::StatusCode::kUnavailable;
  net::GrpcResponse full;
  full.code = absl::StatusCode::kResourceExhausted;
  full.error_details = RetryInfo(milliseconds(4200), Encoding::kProtobuf);
  ServeGrpc({busy, full, {}});
  target_.headers.Set("Authorization", "Bearer x");
  EXPECT_TRUE(Send().ok());
  EXPECT_EQ(saw_token_, "Bearer x");
  ASSERT_EQ(waits_.size(), 2u);
  EXPECT_GE(waits_[1], milliseconds(4200));
}

TEST_F(OtlpSenderTest, GrpcResourceExhaustedWithoutADelayIsFinal) {
  net::GrpcResponse large;
  large.code = absl::StatusCode::kResourceExhausted;
  ServeGrpc({large});
  EXPECT_FALSE(Send().ok());
  EXPECT_EQ(calls_, 1u);
}

TEST_F(OtlpSenderTest, SpeaksJsonAndSendsHeaders) {
  ServeHttp({{.status = 200, .body = "{}"}});
  target_.protocol = OtlpProtocol::kHttpJson;
  target_.headers.Set("authorization", "Bearer y");
  EXPECT_TRUE(Send().ok());
  EXPECT_EQ(saw_type_, "application/json");
  EXPECT_EQ(saw_token_, "Bearer y");
}

TEST_F(OtlpSenderTest, CompressesAsConfigured) {
  ServeHttp({{.status = 200}});
  const std::string profiles = "not looked at, but the same when it arrives";
  for (const auto compression :
       {OtlpCompression::kNone, OtlpCompression::kGzip, OtlpCompression::kZstd}) {
    target_.compression = compression;
    EXPECT_TRUE(Send(profiles).ok());
    EXPECT_EQ(saw_body_, profiles);
  }
  ServeGrpc({{}});
  EXPECT_THAT(base::Message(OtlpSender::Create({.target = target_}).status()),
              HasSubstr("gRPC does not support zstd"));
}

TEST_F(OtlpSenderTest, RetriesAfterATimeout) {
  net::Gate gate;
  net::HttpServerOptions options;
  options.routes = {{"POST", "/v1development/profiles", [&](net::HttpRequest&) {
                       if (calls_++ == 0)
                         gate.Pass();
                       return net::HttpResponse{.status = 200};
                     }}};
  auto server = net::HttpServer::Start(std::move(options));
  ASSERT_TRUE(server.ok());
  target_.url = base::StrCat("http://127.0.0.1:", (*server)->port(), "/v1development/profiles");
  target_.timeout = milliseconds(200);
  EXPECT_TRUE(Send().ok());
  EXPECT_EQ(waits_.size(), 1u);
  gate.Open();
}

}  // namespace
}  // namespace flarestack::record::exporting
