// SPDX-License-Identifier: Apache-2.0
//
// Many clients query while data arrives: no response is torn, no client starves, and memory of
// responses is released.
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/text/text.h"
#include "support/otlp_messages.h"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

constexpr int kClients = 64;
constexpr int kQuestionsOfEach = 6;

class ApiLoadTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(server_.is_running()) << server_.log(); }

  nlohmann::json Fetch(const std::string& request) {
    const Answer response = Get(server_.http() + "/api/v1" + request);
    EXPECT_EQ(response.status, 200) << request << response.body << response.error;
    return nlohmann::json::parse(response.body, nullptr, false);
  }

  // Each message has three functions with the same cost: a response whose total is not a multiple
  // of three saw only part of a message.
  void SendPair() {
    const Answer response =
        Send({.url = server_.otlp_http() + "/v1/profiles",
              .body = ToProtobuf(OneProfile("pairs", {"main;a 1", "main;b 1", "main;c 1"}))});
    EXPECT_EQ(response.status, 200) << response.body;
  }

  TemporaryFolder folder_;
  ServerProcess server_{folder_.File("data")};
};

TEST_F(ApiLoadTest, ServesManyClientsDuringIngestion) {
  SendPair();
  std::atomic<bool> is_done = false;
  std::atomic<int> sent = 1;
  std::vector<std::thread> senders;
  senders.reserve(2);
  for (int i = 0; i < 2; ++i) {
    senders.emplace_back([&] {
      while (!is_done) {
        SendPair();
        ++sent;
      }
    });
  }
  std::vector<std::thread> clients;
  clients.reserve(kClients);
  std::atomic<int> answered = 0;
  for (int i = 0; i < kClients; ++i) {
    clients.emplace_back([&, i] {
      int64_t last = 0;
      for (int k = 0; k < kQuestionsOfEach; ++k) {
        const int64_t at_least = sent;
        const nlohmann::json top =
            Fetch(i % 2 == 0 ? "/top?type=cpu" : "/flame?type=cpu&nodes=100");
        const int64_t total = top.value("total", int64_t{-1});
        EXPECT_EQ(total % 3, 0);
        EXPECT_GE(total, at_least * 3);  // acknowledged data is visible
        EXPECT_GE(total, last);
        last = total;
        ++answered;
      }
    });
  }
  for (std::thread& client : clients)
    client.join();
  is_done = true;
  for (std::thread& sender : senders)
    sender.join();
  EXPECT_EQ(answered, kClients * kQuestionsOfEach);
  EXPECT_GT(sent, 2);  // senders did not starve
  EXPECT_EQ(Fetch("/top?type=cpu")["total"], sent * 3);
  EXPECT_EQ(server_.Metric("flarestack_requests_bytes"), 0u);
}

TEST_F(ApiLoadTest, ReturnsAPartialResultAtTheTimeout) {
  SendPair();
  const nlohmann::json late = Fetch("/flame?type=cpu&timeout=0s");
  EXPECT_EQ(late["meta"]["partial"], true);
  EXPECT_NE(late["meta"]["missing"], "");
  EXPECT_EQ(Fetch("/flame?type=cpu&timeout=10s")["meta"]["partial"], false);
  EXPECT_EQ(server_.Metric("flarestack_requests_bytes"), 0u);
}

}  // namespace
}  // namespace flarestack::testing
