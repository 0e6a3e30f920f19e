// SPDX-License-Identifier: Apache-2.0
#include "net/http/http_peer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "base/status.h"
#include "base/testing/eventually.h"
#include "net/http/http_server.h"
#include "net/testing/gate.h"
#include "net/testing/raw_client.h"

namespace flarestack::net {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::unique_ptr<HttpServer> Serve(std::vector<HttpRoute> routes) {
  HttpServerOptions options;
  options.routes = std::move(routes);
  options.limits.linger_timeout = std::chrono::milliseconds(50);
  auto server = HttpServer::Start(std::move(options));
  FLARE_CHECK(server.ok(), std::string(base::Message(server.status())));
  return *std::move(server);
}

TEST(HttpPeer, StreamsAResponseWhileItIsProduced) {
  Gate gate;
  const auto server = Serve({{"GET", "/parts", [&](HttpRequest& request) {
                                EXPECT_TRUE(request.peer->BeginResponse(
                                    {.headers = {{"Content-Type", "text/plain"}}, .body = "one "}));
                                gate.Pass();
                                EXPECT_TRUE(request.peer->SendPart("two and more "));
                                return HttpResponse{.status = 500, .body = "three"};
                              }}});
  RawClient client(server->port());
  ASSERT_TRUE(client.Send("GET /parts HTTP/1.1\r\nHost: x\r\n\r\n"));
  EXPECT_THAT(client.ReadUntil("one \r\n"),
              AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("Transfer-Encoding: chunked\r\n"),
                    Not(HasSubstr("Content-Length")), EndsWith("\r\n\r\n4\r\none \r\n")));
  gate.Open();
  EXPECT_EQ(client.ReadUntil("0\r\n\r\n"), "d\r\ntwo and more \r\n5\r\nthree\r\n0\r\n\r\n");
  // The connection can serve another request.
  ASSERT_TRUE(client.Send("GET /none HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 404"));
}

TEST(HttpPeer, Http10ClientGetsAnUnchunkedBody) {
  const auto server = Serve({{"GET", "/parts", [](HttpRequest& request) {
                                request.peer->BeginResponse({.body = "one "});
                                return HttpResponse{.body = "two"};
                              }}});
  EXPECT_THAT(Exchange(server->port(), "GET /parts HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"),
              AllOf(Not(HasSubstr("chunked")), HasSubstr("Connection: close"),
                    EndsWith("\r\n\r\none two")));
}

TEST(HttpPeer, HandlerSeesThatItsClientHasGone) {
  Gate gate;
  const auto server =
      Serve({{"GET", "/wait", [&](HttpRequest& request) {
                EXPECT_FALSE(request.peer->IsGone());
                gate.Pass();
                EXPECT_TRUE(base::testing::Eventually([&] { return request.peer->IsGone(); }));
                return HttpResponse{};
              }}});
  {
    RawClient client(server->port());
    // Unread bytes do not hide the hang-up.
    ASSERT_TRUE(client.Send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\nGET /wait"));
    gate.AwaitWaiting(1);
    gate.Open();
  }
  EXPECT_TRUE(server->Stop(std::chrono::minutes(1)).ok());
}

TEST(HttpPeer, RejectsPartsForAClientThatHasGone) {
  const auto server = Serve({{"GET", "/much", [&](HttpRequest& request) {
                                const std::string much(1 << 20, 'x');
                                EXPECT_TRUE(request.peer->BeginResponse({}));
                                while (request.peer->SendPart(much)) {
                                }
                                return HttpResponse{};
                              }}});
  {
    RawClient client(server->port());
    ASSERT_TRUE(client.Send("GET /much HTTP/1.1\r\nHost: x\r\n\r\n"));
    client.ReadUntil("xxx");
  }
  EXPECT_TRUE(server->Stop(std::chrono::minutes(1)).ok());
}

TEST(HttpPeer, AbandonedResponseHasNoFinalChunk) {
  const auto server = Serve({{"GET", "/parts", [](HttpRequest& request) {
                                request.peer->BeginResponse({.body = "one "});
                                request.peer->Abandon();
                                return HttpResponse{.body = "two"};
                              }}});
  EXPECT_THAT(Exchange(server->port(), "GET /parts HTTP/1.1\r\nHost: x\r\n\r\n"),
              EndsWith("4\r\none \r\n"));
}

// Stopping cuts a connection whose handler is still running and polling it.
TEST(HttpPeer, StoppingServerCutsStreamedResponses) {
  Gate gate;
  const auto server = Serve({{"GET", "/wait", [&](HttpRequest& request) {
                                request.peer->BeginResponse({});
                                gate.Pass();
                                while (request.peer->SendPart("x")) {
                                }
                                EXPECT_TRUE(request.peer->IsGone());
                                return HttpResponse{};
                              }}});
  RawClient client(server->port());
  ASSERT_TRUE(client.Send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n"));
  gate.AwaitWaiting(1);
  gate.Open();
  EXPECT_FALSE(server->Stop(std::chrono::milliseconds(1)).ok());
}

}  // namespace
}  // namespace flarestack::net
