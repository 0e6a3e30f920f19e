// SPDX-License-Identifier: Apache-2.0
//
// Malicious clients against a real server. After each of them, the server still serves good
// requests on every port, and has used little memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/compress/compress.h"
#include "base/sanitized.h"
#include "base/testing/eventually.h"
#include "base/text/text.h"
#include "net/grpc/grpc_client.h"
#include "net/testing/http2_frames.h"
#include "net/testing/raw_client.h"
#include "support/bombs.h"
#include "support/otlp_messages.h"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

using net::Http2Frame;
using net::kHttp2Preface;
using net::RawClient;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// HTTP/2 frame types.
constexpr uint8_t kData = 0;
constexpr uint8_t kHeaders = 1;
constexpr uint8_t kRstStream = 3;
constexpr uint8_t kSettings = 4;
constexpr uint8_t kPing = 6;
constexpr uint8_t kWindowUpdate = 8;
constexpr uint8_t kContinuation = 9;

#ifdef __SANITIZE_THREAD__
// gRPC is not instrumented: for each header and call that it frees, the sanitizer creates a report
// and then suppresses it, which takes milliseconds.
constexpr int kHeaderFrames = 20;
constexpr uint32_t kFloodFrames = 300;
constexpr char kTimeForHeads[] = "2s";  // good clients need more time there too
#else
constexpr int kHeaderFrames = 1000;
constexpr uint32_t kFloodFrames = 5'000;
constexpr char kTimeForHeads[] = "300ms";
#endif

// Memory that an attack may use in addition to a good request; the server may use 256 MiB.
constexpr uint64_t kMemoryForAttacks = 256 << 20;

const std::string& Opening() {
  static const std::string bytes = std::string(kHttp2Preface) + Http2Frame(kSettings, 0, 0, "");
  return bytes;
}

class HostileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_.is_running()) << server_.log();
    ExpectGood();
    memory_before_ = server_.MemoryPeak();
  }

  void TearDown() override {
    ExpectGood();
    if (!base::kIsSanitized) {
      EXPECT_LT(server_.MemoryPeak(), memory_before_ + kMemoryForAttacks);
    }
    RecordProperty("memory_mib", static_cast<int>((server_.MemoryPeak() - memory_before_) >> 20));
    EXPECT_EQ(server_.Stop(), 0) << server_.log();
  }

  // Retries, because a closed connection occupies its slot until the server notices.
  void ExpectGood() {
    const std::string message = ToProtobuf(OneProfile("cart", {"main 1"}));
    EXPECT_TRUE(base::testing::Eventually([&] {
      return Send({.url = server_.otlp_http() + "/v1/profiles", .body = message}).status == 200;
    }));
    EXPECT_TRUE(base::testing::Eventually([&] {
      auto client = net::GrpcClient::Create({.target = server_.otlp_grpc()});
      return (*client)->Call(kProfilesMethod, message).code == absl::StatusCode::kOk;
    }));
    EXPECT_TRUE(base::testing::Eventually(
        [&] { return Get(server_.http() + "/api/v1/export?format=folded").status == 200; }));
  }

  uint16_t HttpPort() const { return PortOf(server_.otlp_http()); }
  uint16_t GrpcPort() const { return PortOf(server_.otlp_grpc()); }
  uint16_t ApiPort() const { return PortOf(server_.http()); }

  std::string PostHead(const std::string& headers) const {
    return base::StrCat("POST /v1/profiles HTTP/1.1\r\nHost: x\r\n",
                        "Content-Type: application/x-protobuf\r\n", headers, "\r\n");
  }

  TemporaryFolder folder_;
  ServerProcess server_{folder_.File("data"),
                        {"--header-timeout", kTimeForHeads, "--body-timeout", "300ms",
                         "--idle-timeout", "2s", "--max-connections", "40"}};
  uint64_t memory_before_ = 0;
};

TEST_F(HostileTest, EndsTricklingHeads) {
  std::vector<std::thread> threads;
  for (const uint16_t port : {HttpPort(), ApiPort(), HttpPort(), ApiPort()}) {
    threads.emplace_back([port] {
      RawClient client(port);
      client.Send("POST /v1/profiles HTTP/1.1\r\n");
      client.Trickle("A: b\r\n");
      EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 408"));
    });
  }
  for (const uint16_t port : {GrpcPort(), GrpcPort()}) {
    threads.emplace_back([port] {  // sends a preface byte by byte, without end
      RawClient client(port);
      client.Send(kHttp2Preface.substr(0, 10));
      client.ReadAll();
    });
  }
  for (std::thread& thread : threads)
    thread.join();
}

TEST_F(HostileTest, EndsTricklingBodies) {
  std::vector<std::thread> threads;
  threads.emplace_back([this] {
    RawClient client(HttpPort());
    client.Send(PostHead("Content-Length: 1000000\r\n"));
    client.Trickle("x");
    EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 408"));
  });
  threads.emplace_back([this] {
    RawClient client(HttpPort());
    client.Send(PostHead("Transfer-Encoding: chunked\r\n"));
    client.Trickle("1\r\nx\r\n");
    EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 408"));
  });
  threads.emplace_back([this] {
    const std::string whole = net::GrpcCallBytes(kProfilesMethod, {}, 0, "message");
    RawClient client(GrpcPort());
    client.Send(std::string_view(whole).substr(0, whole.size() - 1));
    client.ReadUntil("grpc-status");
    EXPECT_EQ(client.ReadBytes(2), std::string("\x01") + "4");
  });
  for (std::thread& thread : threads)
    thread.join();
}

TEST_F(HostileTest, RejectsHugeAndManyHeaders) {
  const std::string huge = "A: " + std::string(4 << 20, 'a') + "\r\n";
  std::string many;
  for (int i = 0; i < 200'000; ++i)
    many += "A: b\r\n";
  for (const uint16_t port : {HttpPort(), ApiPort()}) {
    for (const std::string& headers : {huge, many}) {
      RawClient client(port);
      client.Send(PostHead(headers));
      EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 431"));
    }
    RawClient line(port);
    line.Send("GET /" + std::string(4 << 20, 'a'));
    EXPECT_THAT(line.ReadAll(), StartsWith("HTTP/1.1 414"));
  }
  // gRPC: a header list continued in frame after frame.
  RawClient client(GrpcPort());
  client.Send(Opening() + net::GrpcHeadersFrame(1, kProfilesMethod, {}, 0));
  const std::string literal = std::string("\0\x01x\x7e", 4) + std::string(126, 'y');
  std::string block;
  while (block.size() + literal.size() < 16'000)
    block += literal;
  for (int i = 0; i < kHeaderFrames && client.Send(Http2Frame(kContinuation, 0, 1, block)); ++i) {
  }
  client.CloseSending();
  client.ReadAll();
}

TEST_F(HostileTest, RejectsBombs) {
  const std::string gzip = GzipOfZeros(uint64_t{4} << 30);
  const std::string zeros(uint64_t{64} << 20, '\0');
  const std::pair<const char*, std::string> cases[] = {
      {"gzip", gzip}, {"zstd", ZstdOfZeros(uint64_t{4} << 30)}, {"deflate", base::Deflate(zeros)}};
  for (const auto& [encoding, body] : cases) {
    EXPECT_EQ(Send({.url = server_.otlp_http() + "/v1/profiles",
                    .body = body,
                    .content_encoding = encoding})
                  .status,
              413)
        << encoding;
  }
  auto client = net::GrpcClient::Create({.target = server_.otlp_grpc()});
  // The bodies above may keep their memory reserved for a moment after their responses.
  absl::StatusCode code = absl::StatusCode::kUnavailable;
  for (int i = 0; i < 1000 && code == absl::StatusCode::kUnavailable; ++i)
    code = (*client)->Call(kProfilesMethod, zeros, {.gzip = true}).code;
  EXPECT_EQ(code, absl::StatusCode::kResourceExhausted);
  const std::string small = base::Deflate(zeros.substr(0, 10 << 20));  // fits into one frame
  const std::string unavailable = std::string("\x02") + "1";           // first digit of 14
  std::string status = unavailable;
  for (int i = 0; i < 1000 && status == unavailable; ++i) {
    RawClient raw(GrpcPort());
    raw.Send(net::GrpcCallBytes(kProfilesMethod, {{"grpc-encoding", "deflate"}}, 1, small));
    raw.ReadUntil("grpc-status");
    status = raw.ReadBytes(2);
  }
  EXPECT_EQ(status, std::string("\x01") + "8");
}

TEST_F(HostileTest, ClosesBrokenHttp2) {
  const std::string call = net::GrpcHeadersFrame(1, kProfilesMethod);
  std::string large_frame = Http2Frame(kData, 0, 1, "");
  large_frame[0] = '\x7f';  // claims a length of 8 MiB
  const std::string cases[] = {
      std::string(5000, '\xff'),
      std::string(5000, '\0'),
      std::string(kHttp2Preface.substr(0, 20)) + "garbage",
      Opening() + large_frame,
      Opening() + call + large_frame,
      Opening() + Http2Frame(kSettings, 0, 0, "abc"),
      Opening() + Http2Frame(kSettings, 0, 7, ""),
      Opening() + Http2Frame(kData, 0, 0, "x"),
      Opening() + Http2Frame(kHeaders, 4, 0, "x"),
      Opening() + Http2Frame(kHeaders, 4, 2, "\x82"),
      Opening() + Http2Frame(kHeaders, 4, 1, "\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
      Opening() + Http2Frame(kContinuation, 4, 1, "x"),
      Opening() + Http2Frame(kWindowUpdate, 0, 0, std::string("\0\0\0\0", 4)),
      Opening() + Http2Frame(kWindowUpdate, 0, 0, "\x7f\xff\xff\xff"),
      Opening() + Http2Frame(kPing, 0, 0, "short"),
      Opening() + Http2Frame(200, 0xff, 1, std::string(1000, 'x')),
  };
  for (const std::string& bytes : cases) {
    RawClient client(GrpcPort());
    client.Send(bytes);
    client.CloseSending();
    client.ReadAll();  // must end
  }
}

TEST_F(HostileTest, SurvivesFloodsOfFrames) {
  const auto flood = [&](auto frame_of) {
    RawClient client(GrpcPort());
    client.Send(Opening());
    std::string batch;
    for (uint32_t i = 0; i < kFloodFrames; ++i) {
      batch += frame_of(2 * i + 1);
      if (batch.size() > 60'000) {
        if (!client.Send(batch))
          return;  // disconnected, which is fine too
        batch.clear();
      }
    }
    client.Send(batch);
    client.CloseSending();
    client.ReadAll();
  };
  // Calls that are started and abandoned, started and reset, and frames that require a response.
  flood([](uint32_t stream) { return net::GrpcHeadersFrame(stream, kProfilesMethod); });
  flood([](uint32_t stream) {
    return net::GrpcHeadersFrame(stream, kProfilesMethod) +
           Http2Frame(kRstStream, 0, stream, std::string("\0\0\0\x08", 4));
  });
  flood([](uint32_t stream) { return net::GrpcHeadersFrame(stream, "/no.Such/Method"); });
  flood([](uint32_t) { return Http2Frame(kPing, 0, 0, "12345678"); });
  flood([](uint32_t) { return Http2Frame(kSettings, 0, 0, ""); });
  flood([](uint32_t stream) {
    return Http2Frame(kRstStream, 0, stream, std::string("\0\0\0\x08", 4));
  });
}

TEST_F(HostileTest, RejectsGarbageAfterARequestSeparately) {
  const std::string good = PostHead("Content-Length: 0\r\n");
  for (const std::string& garbage :
       {std::string("\x16\x03\x01\x02\x00\x01"), std::string("nonsense\r\n\r\n"),
        std::string(100'000, '\xff'), std::string(100'000, '\0')}) {
    RawClient client(HttpPort());
    client.Send(good + good + garbage);
    const std::string responses = client.ReadAll();
    EXPECT_THAT(responses, StartsWith("HTTP/1.1 200"));
    const size_t second = responses.find("HTTP/1.1 200", 1);
    ASSERT_NE(second, std::string::npos);
    EXPECT_NE(responses.find("HTTP/1.1 4", second), std::string::npos);
  }
  // Two lengths: a proxy in front may have used the other one.
  EXPECT_THAT(net::Exchange(HttpPort(), PostHead("Content-Length: 3\r\n"
                                                 "Transfer-Encoding: chunked\r\n") +
                                            "0\r\n\r\nGET / HTTP/1.1\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 400"), Not(HasSubstr("HTTP/1.1 2"))));
}

TEST_F(HostileTest, ServesOrEndsHalfClosedConnections) {
  RawClient whole(HttpPort());
  whole.Send(PostHead("Content-Length: 0\r\n"));
  whole.CloseSending();
  EXPECT_THAT(whole.ReadAll(), StartsWith("HTTP/1.1 200"));
  for (const std::string& part :
       {std::string(), std::string("POST /v1/pro"), PostHead("Content-Length: 5\r\n") + "abc"}) {
    RawClient client(HttpPort());
    client.Send(part);
    client.CloseSending();
    EXPECT_THAT(client.ReadAll(), Not(HasSubstr("HTTP/1.1 200")));
  }
  RawClient grpc(GrpcPort());
  grpc.Send(Opening() + net::GrpcHeadersFrame(1, kProfilesMethod));
  grpc.CloseSending();
  grpc.ReadAll();
}

TEST_F(HostileTest, SurvivesAFloodOfConnections) {
  for (const uint16_t port : {HttpPort(), GrpcPort(), ApiPort()}) {
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 200; ++i) {
      clients.push_back(std::make_unique<RawClient>(port));
      if (port == GrpcPort())
        clients.back()->ReadBytes(1);  // the server sends first, or closes
      else
        clients.back()->Send("GET /");
    }
  }
  ExpectGood();
  EXPECT_GT(
      server_.Metric(
          R"(flarestack_requests_refused_total{port="otlp_grpc",status="",reason="connections"})"),
      0u);
}

}  // namespace
}  // namespace flarestack::testing
