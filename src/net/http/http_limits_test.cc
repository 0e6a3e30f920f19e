// SPDX-License-Identifier: Apache-2.0
//
// Reaches each limit of the HTTP server. Timeouts are a few milliseconds; no test compares times.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/compress/compress.h"
#include "base/status.h"
#include "base/testing/compressors.h"
#include "base/testing/eventually.h"
#include "base/text/text.h"
#include "net/http/http_server.h"
#include "net/testing/gate.h"
#include "net/testing/raw_client.h"

namespace flarestack::net {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class HttpLimitsTest : public ::testing::Test {
 protected:
  HttpLimitsTest() {
    options_.worker_threads = 2;
    options_.routes = {{"POST", "/size",
                        [](HttpRequest& request) {
                          return HttpResponse{.body = base::StrCat(request.body.size())};
                        }},
                       {"GET", "/wait",
                        [this](HttpRequest&) {
                          gate_.Pass();
                          return HttpResponse{.body = "done"};
                        }},
                       {"GET", "/large", [](HttpRequest&) {
                          return HttpResponse{.body = std::string(64 << 20, 'x')};
                        }}};
  }

  uint16_t Start() {
    auto server = HttpServer::Start(options_);
    FLARE_CHECK(server.ok(), std::string(base::Message(server.status())));
    server_ = *std::move(server);
    return server_->port();
  }

  HttpLimits& limits() { return options_.limits; }

  HttpServerOptions options_;
  Gate gate_;
  std::unique_ptr<HttpServer> server_;
};

std::string Post(size_t bytes) {
  return base::StrCat(
      "POST /size HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ", bytes, "\r\n\r\n");
}

struct Encoded {
  std::string encoding;
  std::string bytes;
};

std::vector<Encoded> AllEncodings(std::string_view body) {
  return {{"gzip", base::Gzip(body)},
          {"deflate", base::Deflate(body)},
          {"zlib", base::Deflate(body)},
          {"zstd", base::Zstd(body)},
          {"snappy", base::SnappyBlock(body)},
          {"snappy", base::SnappyFrames(body)},
          {"x-snappy-framed", base::SnappyFrames(body)},
          {"lz4", base::Lz4(body)}};
}

std::string Post(const Encoded& body) {
  return base::StrCat(
      "POST /size HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Encoding: ", body.encoding,
      "\r\nContent-Length: ", body.bytes.size(), "\r\n\r\n", body.bytes);
}

std::string ChunkedPost() {
  return "POST /size HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
         "Transfer-Encoding: chunked\r\n\r\n";
}

TEST_F(HttpLimitsTest, HeaderBytes) {
  limits().header_bytes_max = 1000;
  const uint16_t port = Start();
  EXPECT_THAT(Exchange(port, "GET /size HTTP/1.1\r\nHost: x\r\nA: " + std::string(2000, 'a')),
              StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(Exchange(port, "GET /" + std::string(2000, 'a')), StartsWith("HTTP/1.1 414 "));
  std::string many = "GET /size HTTP/1.1\r\nHost: x\r\n";
  for (int i = 0; i < 500; ++i)
    many += "A: b\r\n";
  EXPECT_THAT(Exchange(port, many), StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(Exchange(port, "GET /none HTTP/1.0\r\nA: " + std::string(900, 'a') + "\r\n\r\n"),
              StartsWith("HTTP/1.1 404 "));
}

TEST_F(HttpLimitsTest, TargetBytes) {
  limits().target_bytes_max = 100;
  const uint16_t port = Start();
  EXPECT_THAT(Exchange(port, "GET /" + std::string(100, 'a') + " HTTP/1.0\r\n\r\n"),
              StartsWith("HTTP/1.1 414 "));
  EXPECT_THAT(Exchange(port, "GET /" + std::string(99, 'a') + " HTTP/1.0\r\n\r\n"),
              StartsWith("HTTP/1.1 404 "));
}

TEST_F(HttpLimitsTest, BodyBytes) {
  limits().body_bytes_max = 1000;
  const uint16_t port = Start();
  EXPECT_THAT(Exchange(port, Post(1000) + std::string(1000, 'x')), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(Exchange(port, Post(1001)), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(Exchange(port, Post(uint64_t{1} << 62)), StartsWith("HTTP/1.1 413 "));
  const std::string chunk = "1f4\r\n" + std::string(500, 'x') + "\r\n";
  EXPECT_THAT(Exchange(port, ChunkedPost() + chunk + chunk + "0\r\n\r\n"),
              StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(Exchange(port, ChunkedPost() + chunk + chunk + "1\r\nx\r\n0\r\n\r\n"),
              StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(Exchange(port, ChunkedPost() + "fffffff0\r\n" + std::string(2000, 'x')),
              StartsWith("HTTP/1.1 413 "));
}

// The client sends a body far above the limit in full before it reads the response.
TEST_F(HttpLimitsTest, RejectedSenderSeesTheStatusAndNoReset) {
  limits().body_bytes_max = 1000;
  limits().linger_timeout = std::chrono::minutes(1);
  const uint16_t port = Start();
  RawClient client(port);
  EXPECT_TRUE(client.Send(Post(32 << 20)));
  EXPECT_TRUE(client.Send(std::string(32 << 20, 'x')));
  client.CloseSending();
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 413 "));
  EXPECT_FALSE(client.was_reset());
}

TEST_F(HttpLimitsTest, StopsReadingAfterARejection) {
  limits().body_bytes_max = 1000;
  limits().linger_timeout = milliseconds(5);
  const uint16_t port = Start();
  RawClient client(port);
  client.Send(Post(2000));
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 413 "));
  while (client.Send("x")) {  // until the server closes
  }
}

TEST_F(HttpLimitsTest, LimitsChunkExtensions) {
  limits().header_bytes_max = 1000;
  limits().linger_timeout = std::chrono::minutes(1);
  RawClient client(Start());
  client.Send(ChunkedPost() + "1;");
  client.Send(std::string(1 << 20, 'a'));
  client.CloseSending();
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 400 "));
}

TEST_F(HttpLimitsTest, Connections) {
  limits().connections_max = 2;
  const uint16_t port = Start();
  RawClient one(port);
  one.Send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  RawClient two(port);
  two.Send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  gate_.AwaitWaiting(2);
  EXPECT_THAT(Exchange(port, Post(0)),
              AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Retry-After: 1\r\n")));
  gate_.Open();
}

TEST_F(HttpLimitsTest, RequestsInFlight) {
  limits().requests_in_flight_max = 1;
  const uint16_t port = Start();
  RawClient one(port);
  one.Send("GET /wait HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  gate_.AwaitWaiting(1);
  EXPECT_EQ(server_->stats().requests_in_flight, 1);
  EXPECT_THAT(Exchange(port, Post(0)),
              AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Retry-After: 1\r\n")));
  gate_.Open();
  one.ReadAll();
  EXPECT_THAT(Exchange(port, Post(0)), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpLimitsTest, RespondsToProbesWhileAllWorkersAreBusy) {
  limits().requests_in_flight_max = 3;
  options_.routes.push_back({.method = "GET",
                             .pattern = "/probe",
                             .handler = [](HttpRequest&) { return HttpResponse{.body = "here"}; },
                             .is_probe = true});
  const uint16_t port = Start();
  std::vector<std::unique_ptr<RawClient>> busy;
  for (int i = 0; i < 3; ++i) {  // two run, one waits for a worker
    busy.push_back(std::make_unique<RawClient>(port));
    busy.back()->Send("GET /wait HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  }
  gate_.AwaitWaiting(2);
  const std::string probe = "GET /probe HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  EXPECT_THAT(Exchange(port, probe), AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("here")));
  gate_.Open();
  for (const auto& client : busy)
    EXPECT_THAT(client->ReadAll(), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpLimitsTest, AcceptsEachContentEncoding) {
  const uint16_t port = Start();
  const std::string text(50'000, 'x');
  for (const Encoded& body : AllEncodings(text))
    EXPECT_THAT(Exchange(port, Post(body)), AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("50000")))
        << body.encoding;
  EXPECT_THAT(Exchange(port, Post({"br", text})),
              AllOf(StartsWith("HTTP/1.1 415 "),
                    HasSubstr("Accept-Encoding: gzip, zstd, deflate, zlib, snappy, "
                              "x-snappy-framed, lz4, identity\r\n")));
}

// A sender must not retry data that can never fit.
TEST_F(HttpLimitsTest, BombIsTooLargeEvenIfTheBudgetIsExhausted) {
  options_.budget = std::make_shared<base::ByteBudget>(1'000'000);
  const uint16_t port = Start();
  base::ByteLease rest(options_.budget.get());
  ASSERT_TRUE(rest.Grow(850'000));
  for (const Encoded& body : AllEncodings(std::string(2'000'000, 'x')))
    EXPECT_THAT(Exchange(port, Post(body)), StartsWith("HTTP/1.1 413 ")) << body.encoding;
  for (const Encoded& body : AllEncodings(std::string(400'000, 'x')))
    EXPECT_THAT(Exchange(port, Post(body)), StartsWith("HTTP/1.1 503 ")) << body.encoding;
  rest.Release();
  for (const Encoded& body : AllEncodings(std::string(400'000, 'x')))
    EXPECT_THAT(Exchange(port, Post(body)), StartsWith("HTTP/1.1 200 ")) << body.encoding;
}

TEST_F(HttpLimitsTest, BytesInFlightByContentLength) {
  options_.budget = std::make_shared<base::ByteBudget>(1000);
  const uint16_t port = Start();
  RawClient holder(port);
  holder.Send(
      "POST /size HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
      "Connection: close\r\nContent-Length: 800\r\n\r\n");
  holder.ReadUntil("100 Continue\r\n\r\n");  // now its bytes are in the budget
  EXPECT_EQ(options_.budget->current_bytes(), 800u);
  EXPECT_THAT(Exchange(port, Post(201)),
              AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Retry-After: 1\r\n")));
  EXPECT_THAT(Exchange(port, Post(200) + std::string(200, 'x')), StartsWith("HTTP/1.1 200 "));
  holder.Send(std::string(800, 'x'));
  EXPECT_THAT(holder.ReadAll(), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(options_.budget->current_bytes(), 0u);
  EXPECT_EQ(options_.budget->rejected_count(), 1u);
}

TEST_F(HttpLimitsTest, BytesInFlightByChunk) {
  options_.budget = std::make_shared<base::ByteBudget>(200'000);
  limits().linger_timeout = std::chrono::minutes(1);
  RawClient client(Start());
  client.Send(ChunkedPost());
  for (int i = 0; i < 10; ++i)
    client.Send("c350\r\n" + std::string(50'000, 'x') + "\r\n");
  client.CloseSending();
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 503 "));
  EXPECT_LE(options_.budget->high_water_bytes(), 200'000u);
  server_.reset();
  EXPECT_EQ(options_.budget->current_bytes(), 0u);
}

TEST_F(HttpLimitsTest, IdleTimeoutClosesSilently) {
  limits().idle_timeout = milliseconds(5);
  RawClient client(Start());
  EXPECT_EQ(client.ReadAll(), "");
  EXPECT_FALSE(client.was_reset());
}

TEST_F(HttpLimitsTest, SlowHeadGetsATimeoutResponse) {
  limits().header_timeout = milliseconds(5);
  RawClient client(Start());
  client.Send("POST /size HTTP/1.1\r\nHo");
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 408 "));
}

// Bytes keep arriving, so a timeout that restarts with each of them would never expire.
TEST_F(HttpLimitsTest, DrippingHeadDoesNotExtendTheTimeout) {
  limits().header_timeout = milliseconds(50);
  limits().linger_timeout = milliseconds(5);
  RawClient client(Start());
  client.Send("POST /size HTTP/1.1\r\n");
  EXPECT_TRUE(base::testing::Eventually([&] { return !client.Send("A: b\r\n"); }));
}

TEST_F(HttpLimitsTest, StalledBodyGetsATimeoutResponse) {
  limits().body_timeout = milliseconds(5);
  RawClient client(Start());
  client.Send(Post(1000) + "x");
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 408 "));
}

TEST_F(HttpLimitsTest, BodyBelowTheMinimumRateGetsATimeoutResponse) {
  limits().body_timeout = milliseconds(5);
  limits().bytes_per_second_min = 100 << 20;
  limits().linger_timeout = milliseconds(5);
  RawClient client(Start());
  client.Send(Post(60 << 20));
  EXPECT_TRUE(base::testing::Eventually([&] { return !client.Send("x"); }));
}

TEST_F(HttpLimitsTest, ClosesAClientThatDoesNotRead) {
  limits().write_timeout = milliseconds(5);
  limits().bytes_per_second_min = uint64_t{1} << 40;
  RawClient client(Start());
  client.Send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  client.ReadUntil("HTTP/1.1 200");
  EXPECT_TRUE(base::testing::Eventually([&] { return server_->stats().connections == 0; }));
}

}  // namespace
}  // namespace flarestack::net
