// SPDX-License-Identifier: Apache-2.0
#include "net/http/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/status.h"
#include "base/text/text.h"
#include "net/testing/gate.h"
#include "net/testing/raw_client.h"

namespace flarestack::net {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

HttpResponse Echo(HttpRequest& request) {
  return {.headers = {{"Content-Type", "text/plain"}, {"X-Evil", "a\r\nX-Added: b"}},
          .body = base::StrCat(request.method, " ", request.path, " [", request.body, "]")};
}

HttpServerOptions EchoOptions() {
  HttpServerOptions options;
  options.routes = {
      {"POST", "/echo", Echo},
      {"GET", "/echo", Echo},
      {"GET", "/item/{id}",
       [](HttpRequest& request) {
         return HttpResponse{.body = base::StrCat(*request.path_parameters.Find("id"), " ",
                                                  request.query.Find("q").value_or("-"), " ",
                                                  request.headers.Get("x-HEADER"), " ",
                                                  request.remote_address.substr(0, 10))};
       }},
      {"GET", "/throw", [](HttpRequest&) -> HttpResponse { throw std::runtime_error("oops"); }}};
  options.worker_threads = 2;
  options.limits.linger_timeout = std::chrono::milliseconds(50);
  return options;
}

std::unique_ptr<HttpServer> Started(HttpServerOptions options) {
  auto server = HttpServer::Start(std::move(options));
  FLARE_CHECK(server.ok(), std::string(base::Message(server.status())));
  return *std::move(server);
}

class HttpServerTest : public ::testing::Test {
 protected:
  std::string Send(std::string_view request) { return Exchange(server_->port(), request); }

  std::unique_ptr<HttpServer> server_ = Started(EchoOptions());
};

TEST_F(HttpServerTest, HandlerSeesPathQueryHeadersAndPeer) {
  EXPECT_THAT(Send("GET /item/a%20b?q=1%2B1 HTTP/1.1\r\nHost: x\r\nX-Header: y\r\n"
                   "Connection: close\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), EndsWith("\r\n\r\na b 1+1 y 127.0.0.1:")));
}

TEST_F(HttpServerTest, ReadsBodiesByLengthOrInChunks) {
  EXPECT_THAT(Send("POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 5\r\n"
                   "\r\nhello"),
              EndsWith("POST /echo [hello]"));
  EXPECT_THAT(Send("POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                   "Transfer-Encoding: chunked\r\n\r\n"
                   "3;ext=1\r\nhel\r\n2\r\nlo\r\n0\r\nTrailer: t\r\n\r\n"),
              EndsWith("POST /echo [hello]"));
}

TEST_F(HttpServerTest, ConnectionServesSeveralRequests) {
  RawClient client(server_->port());
  for (int i = 0; i < 3; ++i) {
    client.Send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab");
    EXPECT_THAT(client.ReadUntil("[ab]"),
                AllOf(StartsWith("HTTP/1.1 200"), Not(HasSubstr("Connection"))));
  }
  // Two requests at once; the second closes the connection.
  client.Send(
      "GET /item/1 HTTP/1.1\r\nHost: x\r\n\r\n"
      "GET /item/2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.ReadAll(), AllOf(HasSubstr("\r\n\r\n1 -"), HasSubstr("\r\n\r\n2 -")));
}

TEST_F(HttpServerTest, Http10ClosesUnlessKeepAliveIsRequested) {
  EXPECT_THAT(Send("GET /item/1 HTTP/1.0\r\n\r\n"), HasSubstr("Connection: close"));
  RawClient client(server_->port());
  client.Send("GET /item/1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_THAT(client.ReadUntil("127.0.0.1:"), HasSubstr("Connection: keep-alive"));
}

TEST_F(HttpServerTest, HeadIsGetWithoutTheBody) {
  EXPECT_THAT(Send("HEAD /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
              AllOf(HasSubstr("Content-Length: 13\r\n"), EndsWith("\r\n\r\n")));
}

TEST_F(HttpServerTest, RespondsToUnknownPathsMethodsAndOptions) {
  EXPECT_THAT(Send("GET /none HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 404 "), HasSubstr("/none")));
  EXPECT_THAT(Send("DELETE /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("Allow: GET, HEAD, OPTIONS, POST\r\n")));
  EXPECT_THAT(Send("OPTIONS /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 204 "), HasSubstr("Allow: GET, HEAD, OPTIONS, POST\r\n"),
                    Not(HasSubstr("Content-Length"))));
  EXPECT_THAT(Send("OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
              StartsWith("HTTP/1.1 204 "));
}

TEST_F(HttpServerTest, SendsContinueToAClientThatWaitsForIt) {
  RawClient client(server_->port());
  client.Send(
      "POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n"
      "Connection: close\r\n\r\n");
  EXPECT_EQ(client.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send("ab");
  EXPECT_THAT(client.ReadAll(), AllOf(StartsWith("HTTP/1.1 200 "), EndsWith("[ab]")));
}

TEST_F(HttpServerTest, RejectsImmediatelyIfTheClientWaitsForContinue) {
  RawClient client(server_->port());
  client.Send(
      "POST /none HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 404 "));
}

TEST_F(HttpServerTest, RejectsBrokenHeads) {
  const std::string end = "\r\nHost: x\r\n\r\n";
  EXPECT_THAT(Send("nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Send("\x16\x03\x01\x02" + std::string(50, '\0')), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Send("GET /echo HTTP/3.7" + end), StartsWith("HTTP/1.1 505 "));
  EXPECT_THAT(Send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), StartsWith("HTTP/1.1 505 "));
  EXPECT_THAT(Send("GET /%zz HTTP/1.1\r\nConnection: close" + end), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Send("GET /echo HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Send("GET /echo HTTP/1.1\r\nHost: y" + end), StartsWith("HTTP/1.1 400 "));
}

// Different servers read each of these differently, which enables request smuggling.
TEST_F(HttpServerTest, RejectsAmbiguousBodies) {
  const std::string start = "POST /echo HTTP/1.1\r\nHost: x\r\n";
  for (const char* rest :
       {"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
        "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", "Content-Length: +3\r\n\r\nabc",
        "Content-Length: -1\r\n\r\n", "Content-Length: 99999999999999999999\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n\r\n"}) {
    EXPECT_THAT(Send(start + rest), StartsWith("HTTP/1.1 400 ")) << rest;
  }
  EXPECT_THAT(Send(start + "Transfer-Encoding: gzip\r\n\r\nx"), StartsWith("HTTP/1.1 501 "));
  EXPECT_THAT(Send(start + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
              StartsWith("HTTP/1.1 501 "));
}

TEST_F(HttpServerTest, ThrowingHandlerGives500) {
  EXPECT_THAT(Send("GET /throw HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
              StartsWith("HTTP/1.1 500 "));
}

TEST_F(HttpServerTest, HeaderValueCannotInjectAHeader) {
  EXPECT_THAT(Send("GET /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
              HasSubstr("X-Evil: a  X-Added: b\r\n"));
}

TEST_F(HttpServerTest, SurvivesClientsThatDisconnectMidRequest) {
  for (const char* part :
       {"GET /ec", "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab"}) {
    RawClient client(server_->port());
    client.Send(part);
    client.CloseSending();
    EXPECT_EQ(client.ReadAll(), "");
  }
  EXPECT_THAT(Send("GET /item/1 HTTP/1.0\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpServerTest, ServesHundredsOfConcurrentConnections) {
  constexpr int kThreads = 8;
  constexpr int kRequests = 50;
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      std::vector<std::unique_ptr<RawClient>> clients;
      for (int i = 0; i < kRequests; ++i) {
        clients.push_back(std::make_unique<RawClient>(server_->port()));
        clients.back()->Send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n" +
                             std::string(1000, 'x'));
      }
      for (const auto& client : clients)
        good += client->ReadUntil("xx]").starts_with("HTTP/1.1 200") ? 1 : 0;
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(good, kThreads * kRequests);
}

TEST(HttpServerErrorTest, HookWritesErrorBodies) {
  HttpServerOptions options = EchoOptions();
  options.error = [](int status, std::string_view message, const HttpRequest& request) {
    return HttpResponse{.headers = {{"Content-Type", "application/json"}},
                        .body = base::StrCat("{", status, ",", message.empty(), ",",
                                             request.headers.Get("content-type"), "}")};
  };
  const auto server = Started(std::move(options));
  EXPECT_THAT(Exchange(server->port(),
                       "GET /none HTTP/1.1\r\nHost: x\r\nContent-Type: a/b\r\n"
                       "Connection: close\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 404 "), HasSubstr("application/json"),
                    EndsWith("{404,false,a/b}")));
}

TEST(HttpServerListenTest, ListensOnTheCommonHosts) {
  for (const char* host : {"127.0.0.1", "localhost", "", "0.0.0.0"}) {
    HttpServerOptions options = EchoOptions();
    options.listen = {host, 0};
    const auto server = Started(std::move(options));
    EXPECT_THAT(Exchange(server->port(), "GET /item/1 HTTP/1.0\r\n\r\n"),
                StartsWith("HTTP/1.1 200 "))
        << host;
  }
}

TEST(HttpServerListenTest, ErrorNamesAPortInUse) {
  const auto server = Started(EchoOptions());
  HttpServerOptions options = EchoOptions();
  options.listen = {"127.0.0.1", server->port()};
  const auto second = HttpServer::Start(std::move(options));
  EXPECT_THAT(std::string(base::Message(second.status())),
              HasSubstr(std::to_string(server->port())));
}

TEST(HttpServerStopTest, FinishesRunningRequestsAndRejectsNewOnes) {
  Gate gate;
  HttpServerOptions options = EchoOptions();
  options.routes.push_back({"GET", "/wait", [&gate](HttpRequest&) {
                              gate.Pass();
                              return HttpResponse{.body = "done"};
                            }});
  const auto server = Started(std::move(options));
  RawClient idle(server->port());
  idle.Send("GET /item/1 HTTP/1.1\r\nHost: x\r\n\r\n");
  idle.ReadUntil("127.0.0.1:");
  RawClient running(server->port());
  running.Send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  gate.AwaitWaiting(1);

  absl::Status stopped = absl::UnknownError("");
  std::thread stopper([&] { stopped = server->Stop(std::chrono::minutes(1)); });
  EXPECT_EQ(idle.ReadAll(), "");  // closed, because it was idle
  gate.Open();
  EXPECT_THAT(running.ReadAll(),
              AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("Connection: close"), EndsWith("done")));
  stopper.join();
  EXPECT_TRUE(stopped.ok()) << stopped;
}

TEST(HttpServerStopTest, CancelsRequestsThatOutlastTheStopDeadline) {
  Gate gate;
  HttpServerOptions options = EchoOptions();
  options.routes.push_back({"GET", "/wait", [&gate](HttpRequest&) {
                              gate.Pass();
                              return HttpResponse{.body = "done"};
                            }});
  const auto server = Started(std::move(options));
  RawClient running(server->port());
  running.Send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  gate.AwaitWaiting(1);
  EXPECT_EQ(server->Stop(std::chrono::milliseconds(1)).code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(running.ReadAll(), "");
  gate.Open();
}

}  // namespace
}  // namespace flarestack::net
