// SPDX-License-Identifier: Apache-2.0
//
// The order of a call's message, its message timeout and its response.
#include "net/grpc/grpc_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/status.h"
#include "base/testing/eventually.h"
#include "base/text/text.h"
#include "net/grpc/grpc_client.h"
#include "net/grpc/grpc_server.h"
#include "net/testing/gate.h"
#include "net/testing/http2_frames.h"
#include "net/testing/raw_client.h"

namespace flarestack::net {
namespace {

using absl::StatusCode;
using ::testing::AnyOf;

constexpr char kCount[] = "/test.Service/Count";
constexpr char kWait[] = "/test.Service/Wait";

class AnyoneMayCall : public Authenticator {
 public:
  absl::StatusOr<Principal> Authenticate(const Credentials&) override { return Principal{}; }
};

class GrpcCallTest : public ::testing::Test {
 protected:
  GrpcCallTest() {
    options_.worker_threads = 1;
    options_.methods = {{kCount,
                         [this](GrpcRequest&) {
                           ++counted_;
                           return GrpcResponse{};
                         }},
                        {kWait, [this](GrpcRequest&) {
                           worker_gate_.Pass();
                           return GrpcResponse{};
                         }}};
  }

  void Start() {
    auto server = GrpcServer::Start(options_);
    FLARE_CHECK(server.ok(), std::string(base::Message(server.status())));
    server_ = *std::move(server);
  }

  GrpcResult Call(const char* method) const {
    auto client = GrpcClient::Create({.target = base::StrCat("127.0.0.1:", server_->port())});
    FLARE_CHECK(client.ok());
    return (*client)->Call(method, "x", {.timeout = std::chrono::minutes(1)});
  }

  template <typename Predicate>
  static void Await(Predicate is_true) {
    ASSERT_TRUE(base::testing::Eventually(is_true));
  }

  GrpcServerOptions options_;
  Gate worker_gate_;
  Gate timeout_gate_;
  std::atomic<int> counted_ = 0;
  std::unique_ptr<GrpcServer> server_;
};

// The timeout claims the call, the message arrives, the call ends, and only then is the worker free
// to handle that message.
TEST_F(GrpcCallTest, DropsAMessageThatArrivesDuringTheTimeout) {
  options_.limits.message_timeout = std::chrono::milliseconds(50);
  std::atomic<bool> holds_timeouts = false;
  options_.on_rejected = [&](std::string_view, RejectionReason reason) {
    if (holds_timeouts && reason == RejectionReason::kBodyTimeout)
      timeout_gate_.Pass();
  };
  Start();
  std::thread busy([&] {
    while (Call(kWait).code != StatusCode::kOk) {  // on a busy machine the message may be late
    }
  });
  worker_gate_.AwaitWaiting(1);
  holds_timeouts = true;
  const uint64_t messages_before = server_->stats().messages_count;
  const std::string whole = GrpcCallBytes(kCount, {}, 0, "x");
  RawClient client(server_->port());
  client.Send(std::string_view(whole).substr(0, whole.size() - 1));
  timeout_gate_.AwaitWaiting(1);
  client.Send(std::string_view(whole).substr(whole.size() - 1));
  Await([&] { return server_->stats().messages_count > messages_before; });
  timeout_gate_.Open();
  client.ReadUntil("grpc-status");
  EXPECT_EQ(client.ReadBytes(2), std::string("\x01") + "4");  // DEADLINE_EXCEEDED
  Await([&] { return server_->stats().calls_in_flight == 1; });
  worker_gate_.Open();
  busy.join();
  server_.reset();  // runs all queued tasks
  EXPECT_EQ(counted_, 0);
}

// The timeout fires while the worker that admitted the call is still starting the read.
TEST_F(GrpcCallTest, TimeoutDuringTheStartOfTheReadEndsTheCallOnce) {
  constexpr int kThreads = 4;
  constexpr int kCalls = 50;
  options_.limits.message_timeout = std::chrono::milliseconds(0);
  options_.authenticator = std::make_shared<AnyoneMayCall>();
  for (GrpcMethod& method : options_.methods)
    method.needed = Role::kWrite;
  options_.worker_threads = kThreads;
  Start();
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kCalls; ++i)
        EXPECT_THAT(Call(kCount).code, AnyOf(StatusCode::kOk, StatusCode::kDeadlineExceeded));
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_TRUE(server_->Stop(std::chrono::minutes(1)).ok());
  EXPECT_EQ(server_->stats().calls_in_flight, 0);
}

}  // namespace
}  // namespace flarestack::net
