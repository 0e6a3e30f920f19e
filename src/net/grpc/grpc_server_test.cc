// SPDX-License-Identifier: Apache-2.0
#include "net/grpc/grpc_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/compress/compress.h"
#include "base/status.h"
#include "base/testing/compressors.h"
#include "base/text/text.h"
#include "net/grpc/grpc_client.h"
#include "net/testing/gate.h"
#include "net/testing/http2_frames.h"
#include "net/testing/raw_client.h"

namespace flarestack::net {
namespace {

using absl::StatusCode;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kEcho[] = "/test.Service/Echo";
constexpr char kWait[] = "/test.Service/Wait";

class GrpcServerTest : public ::testing::Test {
 protected:
  GrpcServerTest() {
    options_.worker_threads = 2;
    options_.details = [](const absl::Status& status, auto delay) {
      return base::StrCat("details of ", static_cast<int>(status.code()), ", retry ",
                          delay.has_value() ? delay->count() : -1);
    };
    options_.methods = {
        {kEcho,
         [](GrpcRequest& request) {
           return GrpcResponse{
               .message = request.message,
               .trailing_metadata = {{"x-method", request.method},
                                     {"x-saw", std::string(request.metadata.Get("X-Sent"))},
                                     {"x-peer", request.remote_address},
                                     {"Illegal Name", "x"}}};
         }},
        {"/test.Service/Size",
         [](GrpcRequest& request) {
           return GrpcResponse{.message = base::StrCat(request.message.size())};
         }},
        {"/test.Service/Fail",
         [](GrpcRequest&) {
           return GrpcResponse{.code = StatusCode::kInvalidArgument,
                               .error_message = "bad: ä\n",
                               .error_details = std::string("\x00\xff", 2)};
         }},
        {"/test.Service/Throw",
         [](GrpcRequest&) -> GrpcResponse { throw std::runtime_error("oops"); }},
        {kWait, [this](GrpcRequest& request) {
           gate_.Pass();
           return GrpcResponse{.message = request.message};
         }}};
  }

  void Start() {
    auto server = GrpcServer::Start(options_);
    FLARE_CHECK(server.ok(), std::string(base::Message(server.status())));
    server_ = *std::move(server);
    client_ = Client();
  }

  std::unique_ptr<GrpcClient> Client() const {
    auto client = GrpcClient::Create({.target = base::StrCat("127.0.0.1:", server_->port())});
    FLARE_CHECK(client.ok());
    return *std::move(client);
  }

  // The trailers are readable, because neither side compresses them.
  std::string RawCall(std::vector<std::pair<std::string, std::string>> headers, uint8_t flag,
                      std::string_view message) const {
    RawClient client(server_->port());
    client.Send(GrpcCallBytes("/test.Service/Size", headers, flag, message));
    std::string seen = client.ReadUntil("grpc-status");
    seen += client.ReadBytes(1);  // the length of the number after it
    return seen + client.ReadBytes(static_cast<size_t>(seen.back()));
  }

  GrpcServerOptions options_;
  Gate gate_;
  std::unique_ptr<GrpcServer> server_;
  std::unique_ptr<GrpcClient> client_;
};

TEST_F(GrpcServerTest, PassesBytesMetadataAndPeer) {
  Start();
  const std::string message("\x00\x01\xff text", 8);
  const GrpcResult result = client_->Call(kEcho, message, {.metadata = {{"x-sent", "y"}}});
  EXPECT_EQ(result.code, StatusCode::kOk) << result.error_message;
  EXPECT_EQ(result.message, message);
  EXPECT_EQ(result.trailing_metadata.Get("x-method"), kEcho);
  EXPECT_EQ(result.trailing_metadata.Get("x-saw"), "y");
  EXPECT_THAT(std::string(result.trailing_metadata.Get("x-peer")), StartsWith("127.0.0.1:"));
  EXPECT_EQ(client_->Call(kEcho, "").code, StatusCode::kOk);
}

TEST_F(GrpcServerTest, ErrorKeepsItsCodeTextAndDetails) {
  Start();
  const GrpcResult result = client_->Call("/test.Service/Fail", "x");
  EXPECT_EQ(result.code, StatusCode::kInvalidArgument);
  EXPECT_EQ(result.error_message, "bad: ä\n");
  EXPECT_EQ(result.error_details, std::string("\x00\xff", 2));
  EXPECT_EQ(client_->Call("/test.Service/Throw", "x").code, StatusCode::kInternal);
}

TEST_F(GrpcServerTest, UnknownMethodIsUnimplemented) {
  Start();
  const GrpcResult result = client_->Call("/test.Service/None", "x");
  EXPECT_EQ(result.code, StatusCode::kUnimplemented);
  EXPECT_THAT(result.error_message, HasSubstr("/test.Service/None"));
  EXPECT_EQ(result.error_details, "details of 12, retry -1");
}

TEST_F(GrpcServerTest, DecompressesMessages) {
  Start();
  const std::string text(100'000, 'x');
  EXPECT_EQ(client_->Call("/test.Service/Size", text, {.gzip = true}).message, "100000");
  EXPECT_EQ(client_->Call(kEcho, text, {.gzip = true}).message, text);
  EXPECT_THAT(RawCall({{"grpc-encoding", "gzip"}}, 1, base::Gzip(text)), HasSubstr("100000"));
  EXPECT_THAT(RawCall({{"grpc-encoding", "deflate"}}, 1, base::Deflate(text)), HasSubstr("100000"));
  EXPECT_THAT(RawCall({{"grpc-encoding", "gzip"}}, 0, "12345"), HasSubstr("\x01"
                                                                          "5"));
}

TEST_F(GrpcServerTest, AcceptsEncodingsThatGrpcDoesNotKnow) {
  Start();
  const std::string text(100'000, 'x');
  EXPECT_THAT(RawCall({{"grpc-encoding", "zstd"}}, 1, base::Zstd(text)), HasSubstr("100000"));
  EXPECT_THAT(RawCall({{"grpc-encoding", "snappy"}}, 1, base::SnappyFrames(text)),
              HasSubstr("100000"));
  EXPECT_THAT(RawCall({{"grpc-encoding", "zstd"}}, 0, "12345"), HasSubstr("\x01"
                                                                          "5"));
  EXPECT_THAT(RawCall({{"grpc-encoding", "snappy"}}, 1, ""), HasSubstr("grpc-status\x01"
                                                                       "0"));
  const std::string packed = base::Zstd(text);
  EXPECT_THAT(RawCall({{"grpc-encoding", "zstd"}}, 1, packed.substr(0, packed.size() - 1)),
              HasSubstr("grpc-status\x01"
                        "3"));
}

TEST_F(GrpcServerTest, RejectsABombInAnotherEncoding) {
  options_.budget = std::make_shared<base::ByteBudget>(1 << 30);
  options_.limits.decompress = {.bytes_max = 1 << 20, .ratio_max = 100'000};
  Start();
  const std::string zeros(8 << 20, '\0');
  EXPECT_THAT(RawCall({{"grpc-encoding", "zstd"}}, 1, base::Zstd(zeros)),
              HasSubstr("grpc-status\x01"
                        "8"));
  EXPECT_LE(options_.budget->high_water_bytes(), 2u << 20);
}

TEST_F(GrpcServerTest, UnknownEncodingGetsTheListOfAcceptedOnes) {
  Start();
  for (const char* encoding : {"lz4", "snappy", "identity"}) {
    EXPECT_THAT(RawCall({{"grpc-encoding", encoding}}, 1, base::Lz4("x")),
                AllOf(HasSubstr("grpc-accept-encoding"), HasSubstr("gzip"),
                      HasSubstr("grpc-status\x02"
                                "12")))
        << encoding;
  }
  EXPECT_THAT(RawCall({}, 1, "x"), HasSubstr("grpc-status\x02"
                                             "12"));
}

TEST_F(GrpcServerTest, RejectsDamagedCompression) {
  Start();
  EXPECT_THAT(RawCall({{"grpc-encoding", "gzip"}}, 1, "nonsense"), HasSubstr("grpc-status\x01"
                                                                             "3"));
}

TEST_F(GrpcServerTest, RejectsABombBySizeAndByRatio) {
  options_.budget = std::make_shared<base::ByteBudget>(1 << 30);
  options_.limits.decompress = {.bytes_max = 1 << 20, .ratio_max = 100'000};
  Start();
  const std::string zeros(64 << 20, '\0');
  GrpcResult result = client_->Call("/test.Service/Size", zeros, {.gzip = true});
  EXPECT_EQ(result.code, StatusCode::kResourceExhausted);
  EXPECT_EQ(result.error_details, "details of 8, retry -1");
  EXPECT_LE(options_.budget->high_water_bytes(), 2u << 20);

  options_.limits.decompress = {.ratio_max = 50};
  Start();
  result = client_->Call("/test.Service/Size", zeros, {.gzip = true});
  EXPECT_EQ(result.code, StatusCode::kResourceExhausted);
  EXPECT_THAT(result.error_message, HasSubstr("50 times"));
}

TEST_F(GrpcServerTest, LimitsMessageBytes) {
  options_.limits.message_bytes_max = 1000;
  Start();
  EXPECT_EQ(client_->Call(kEcho, std::string(1000, 'x')).code, StatusCode::kOk);
  const GrpcResult result = client_->Call(kEcho, std::string(1001, 'x'));
  EXPECT_EQ(result.code, StatusCode::kResourceExhausted);
  EXPECT_EQ(result.error_details, "");  // no RetryInfo, so that clients do not retry
}

TEST_F(GrpcServerTest, LimitsHeaderBytes) {
  options_.limits.header_bytes_max = 2000;
  Start();
  const GrpcResult result =
      client_->Call(kEcho, "x", {.metadata = {{"x-long", std::string(10'000, 'a')}}});
  EXPECT_EQ(result.code, StatusCode::kResourceExhausted);
  EXPECT_EQ(Client()->Call(kEcho, "x").code, StatusCode::kOk);
}

TEST_F(GrpcServerTest, LimitsHeaderBytesOverManyFrames) {
  constexpr uint8_t kContinuation = 9;
  options_.limits.header_bytes_max = 2000;
  std::atomic<int> rejected_heads = 0;
  options_.on_rejected = [&](std::string_view, RejectionReason reason) {
    rejected_heads += reason == RejectionReason::kHeadTooLarge ? 1 : 0;
  };
  Start();
  const std::string header = std::string("\0\x01x\x7e", 4) + std::string(126, 'y');
  std::string call = base::StrCat(kHttp2Preface, Http2Frame(4, 0, 0, ""),
                                  GrpcHeadersFrame(1, kEcho, {}, /*flags=*/0));
  for (int i = 0; i < 100; ++i)
    call += Http2Frame(kContinuation, 0, 1, header + header);
  call += Http2Frame(kContinuation, kHttp2EndHeaders, 1, header);
  RawClient client(server_->port());
  client.Send(call);
  client.ReadUntil("grpc-status");
  EXPECT_EQ(client.ReadBytes(2), std::string("\x01") + "8");
  EXPECT_EQ(rejected_heads, 1);
}

TEST_F(GrpcServerTest, LimitsConcurrentCalls) {
  options_.limits.calls_max = 1;
  Start();
  GrpcResult first;
  std::thread caller([&] { first = client_->Call(kWait, "x"); });
  gate_.AwaitWaiting(1);
  const GrpcResult second = client_->Call(kEcho, "x");
  EXPECT_EQ(second.code, StatusCode::kUnavailable);
  EXPECT_EQ(second.error_details, "details of 14, retry 1000");
  gate_.Open();
  caller.join();
  EXPECT_EQ(first.code, StatusCode::kOk) << first.error_message;
}

TEST_F(GrpcServerTest, LimitsBytesInFlight) {
  options_.budget = std::make_shared<base::ByteBudget>(1000);
  Start();
  GrpcResult first;
  std::thread caller([&] { first = client_->Call(kWait, std::string(800, 'x')); });
  gate_.AwaitWaiting(1);
  const GrpcResult second = client_->Call(kEcho, std::string(201, 'x'));
  EXPECT_EQ(second.code, StatusCode::kUnavailable);
  EXPECT_EQ(second.error_details, "details of 14, retry 1000");
  EXPECT_EQ(client_->Call(kEcho, std::string(200, 'x')).code, StatusCode::kOk);
  gate_.Open();
  caller.join();
  server_.reset();
  EXPECT_EQ(options_.budget->current_bytes(), 0u);
}

TEST_F(GrpcServerTest, EndsACallWithoutAMessage) {
  options_.limits.message_timeout = std::chrono::milliseconds(20);
  Start();
  const std::string whole = GrpcCallBytes(kEcho, {}, 0, "x");
  RawClient client(server_->port());
  client.Send(std::string_view(whole).substr(0, whole.size() - 1));
  EXPECT_THAT(client.ReadUntil("grpc-status") + client.ReadUntil("4"), HasSubstr("grpc-status\x01"
                                                                                 "4"));
}

TEST_F(GrpcServerTest, ClosesIdleConnections) {
  options_.limits.idle_timeout = std::chrono::milliseconds(50);
  Start();
  RawClient client(server_->port());
  client.Send(std::string(kHttp2Preface) + Http2Frame(4, 0, 0, ""));
  client.ReadAll();  // until the server closes
}

TEST_F(GrpcServerTest, ClosesBrokenHttp2AndKeepsServing) {
  options_.limits.handshake_timeout = std::chrono::seconds(1);  // enough for a valid handshake
  Start();
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), std::string("\x16\x03\x01\x02\x00"),
        std::string(kHttp2Preface.substr(0, 10)), std::string(1000, '\xff'),
        std::string(kHttp2Preface) + Http2Frame(4, 0, 0, "abc"),
        std::string(kHttp2Preface) + Http2Frame(4, 0, 0, "") + Http2Frame(0, 0, 1, "data")}) {
    RawClient client(server_->port());
    client.Send(bytes);
    client.CloseSending();
    client.ReadAll();
  }
  EXPECT_EQ(client_->Call(kEcho, "x").code, StatusCode::kOk);
}

TEST_F(GrpcServerTest, ServesHundredsOfConcurrentCalls) {
  Start();
  constexpr int kThreads = 8;
  constexpr int kCalls = 50;
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, client = std::shared_ptr<GrpcClient>(Client())] {
      for (int i = 0; i < kCalls; ++i) {
        GrpcResult result;
        // gRPC 1.51 treats a pending connection as failed if another system call changes errno
        // first, which a thread's first allocation sometimes does.
        do {
          result = client->Call(kEcho, std::string(1000, 'x'), {.gzip = i % 2 == 0});
        } while (result.error_message.find("failed to connect") != std::string::npos);
        EXPECT_EQ(result.code, StatusCode::kOk) << result.error_message;
        good += result.message.size() == 1000;
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(good, kThreads * kCalls);
  EXPECT_EQ(server_->stats().calls_count, static_cast<uint64_t>(kThreads * kCalls));
}

TEST_F(GrpcServerTest, RunningCallFinishesWhenTheServerStops) {
  Start();
  GrpcResult running;
  std::thread caller(
      [&] { running = client_->Call(kWait, "x", {.timeout = std::chrono::minutes(1)}); });
  gate_.AwaitWaiting(1);
  absl::Status stopped = absl::UnknownError("");
  std::thread stopper([&] { stopped = server_->Stop(std::chrono::minutes(1)); });
  // Use a new client: the old connection may still exist but accepts no new call.
  while (Client()->Call(kEcho, "x").code == StatusCode::kOk) {
  }
  gate_.Open();
  caller.join();
  stopper.join();
  EXPECT_EQ(running.code, StatusCode::kOk) << running.error_message;
  EXPECT_TRUE(stopped.ok()) << stopped;
}

TEST_F(GrpcServerTest, CancelsCallsThatOutlastTheStopDeadline) {
  Start();
  GrpcResult running;
  std::thread caller([&] { running = client_->Call(kWait, "x"); });
  gate_.AwaitWaiting(1);
  EXPECT_EQ(server_->Stop(std::chrono::milliseconds(1)).code(), StatusCode::kDeadlineExceeded);
  caller.join();
  EXPECT_NE(running.code, StatusCode::kOk);
  gate_.Open();
}

TEST_F(GrpcServerTest, ErrorNamesAPortInUse) {
  Start();
  options_.listen = {"127.0.0.1", server_->port()};
  const auto second = GrpcServer::Start(options_);
  EXPECT_THAT(std::string(base::Message(second.status())),
              HasSubstr(std::to_string(server_->port())));
}

TEST_F(GrpcServerTest, ListensOnAllInterfacesAndLocalhost) {
  for (const char* host : {"", "localhost"}) {
    options_.listen = {host, 0};
    Start();
    EXPECT_EQ(client_->Call(kEcho, "x").code, StatusCode::kOk) << host;
  }
}

TEST(GrpcClientTest, MissingServerIsUnavailable) {
  auto client = GrpcClient::Create({.target = "127.0.0.1:1"});
  EXPECT_EQ((*client)->Call(kEcho, "x").code, StatusCode::kUnavailable);
}

TEST(GrpcClientTest, RejectsAnInvalidHeader) {
  auto client = GrpcClient::Create({.target = "127.0.0.1:1"});
  for (const char* name : {"Upper", "with space", "", "grpc-timeout"})
    EXPECT_EQ((*client)->Call(kEcho, "x", {.metadata = {{name, "x"}}}).code,
              StatusCode::kInvalidArgument);
  EXPECT_EQ((*client)->Call(kEcho, "x", {.metadata = {{"a", "x\n"}}}).code,
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace flarestack::net
