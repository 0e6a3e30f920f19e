// SPDX-License-Identifier: Apache-2.0
#include "net/grpc/grpc_listener.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <vector>

#include "base/check.h"
#include "base/testing/eventually.h"
#include "net/grpc/grpc_client.h"
#include "net/grpc/grpc_server.h"
#include "net/testing/http2_frames.h"
#include "net/testing/raw_client.h"

namespace flarestack::net {
namespace {

constexpr char kEcho[] = "/test.Service/Echo";

class GrpcConnectionsTest : public ::testing::Test {
 protected:
  void Start(int connections_max) {
    GrpcServerOptions options;
    options.limits.connections_max = connections_max;
    options.methods = {
        {kEcho, [](GrpcRequest& request) { return GrpcResponse{.message = request.message}; }}};
    options.on_rejected = [this](std::string_view status, RejectionReason reason) {
      EXPECT_EQ(status, "");
      EXPECT_EQ(reason, RejectionReason::kConnections);
      ++rejected_;
    };
    auto server = GrpcServer::Start(std::move(options));
    FLARE_CHECK(server.ok());
    server_ = *std::move(server);
  }

  // Connects and waits until the server has sent its settings, so that it knows the connection.
  std::unique_ptr<RawClient> Connect() const {
    auto client = std::make_unique<RawClient>(server_->port());
    client->Send(kHttp2Preface);
    client->Send(Http2Frame(4, 0, 0, ""));
    EXPECT_EQ(client->ReadBytes(9).size(), 9u);
    return client;
  }

  void AwaitConnections(int count) const {
    ASSERT_TRUE(base::testing::Eventually([&] { return server_->stats().connections == count; }));
  }

  std::atomic<int> rejected_ = 0;
  std::unique_ptr<GrpcServer> server_;
};

TEST_F(GrpcConnectionsTest, ClosesConnectionsOverTheLimit) {
  Start(3);
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 3; ++i)
    clients.push_back(Connect());
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(RawClient(server_->port()).ReadAll(), "");
  EXPECT_EQ(rejected_, 20);
  EXPECT_EQ(server_->stats().connections, 3);
}

TEST_F(GrpcConnectionsTest, EndedConnectionFreesItsSlot) {
  Start(1);
  for (int i = 0; i < 20; ++i) {
    Connect();
    AwaitConnections(0);
  }
  // A half-close by the client also ends the connection.
  const auto half = Connect();
  half->CloseSending();
  half->ReadAll();
  AwaitConnections(0);
  // So does a cut by the server.
  RawClient garbage(server_->port());
  garbage.Send("GET / HTTP/1.1\r\n\r\n");
  garbage.ReadAll();
  AwaitConnections(0);
  auto client = GrpcClient::Create({.target = "127.0.0.1:" + std::to_string(server_->port())});
  ASSERT_TRUE(client.ok());
  EXPECT_EQ((*client)->Call(kEcho, "x").message, "x");
  EXPECT_EQ(rejected_, 0);
}

TEST(GrpcListenerTest, ReportsWhyItCannotListen) {
  const auto first = GrpcListener::Open({"127.0.0.1", 0});
  ASSERT_TRUE(first.ok());
  const auto second = GrpcListener::Open({"127.0.0.1", (*first)->port()});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(second.status().message().find("in use"), std::string_view::npos);
  EXPECT_FALSE(GrpcListener::Open({"no.such.host.invalid", 0}).ok());
}

}  // namespace
}  // namespace flarestack::net
