// SPDX-License-Identifier: Apache-2.0
//
// A server stays within --memory-limit for any shape of request, and keeps acknowledged data.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <set>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/compress/compress.h"
#include "base/mutex.h"
#include "base/sanitized.h"
#include "codec/otlp/testing/heavy_message.h"
#include "net/grpc/grpc_client.h"
#include "support/otlp_messages.h"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

using codec::otlp::testing::HeavyJson;
using codec::otlp::testing::HeavyMessage;
using codec::otlp::testing::HeavyProtobuf;
using codec::otlp::testing::Weight;

constexpr uint64_t kMemoryLimit = 128 << 20;
constexpr double kPeakMax = 1.1;
constexpr int kSenders = 12;
constexpr int kRequestsOfEach = 4;

class MemoryLimitTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(server_.is_running()) << server_.log(); }

  // Returns true if acknowledged.
  using SendOne = std::function<bool(uint64_t number)>;

  bool ByGrpc(const std::string& message, bool gzip = false) {
    auto client = net::GrpcClient::Create({.target = server_.otlp_grpc()});
    net::GrpcCallOptions options;
    options.timeout = std::chrono::minutes(2);
    options.gzip = gzip;
    const net::GrpcResult result = (*client)->Call(kProfilesMethod, message, options);
    EXPECT_TRUE(result.code == absl::StatusCode::kOk ||
                result.code == absl::StatusCode::kUnavailable ||
                result.code == absl::StatusCode::kResourceExhausted)
        << result.error_message;
    return result.code == absl::StatusCode::kOk;
  }

  bool ByHttp(const Post& post) {
    Post with_url = post;
    with_url.url = server_.otlp_http() + "/v1/profiles";
    const Answer response = Send(with_url);
    EXPECT_TRUE(response.status == 200 || response.status == 503 || response.status == 413)
        << response.status << " " << response.error << response.body;
    return response.status == 200;
  }

  std::set<uint64_t> acknowledged() {
    const base::MutexLock lock(mutex_);
    return acknowledged_;
  }

  void Flood(const SendOne& send) {
    std::vector<std::thread> senders;
    for (int sender = 0; sender < kSenders; ++sender) {
      senders.emplace_back([this, sender, &send] {
        for (int i = 0; i < kRequestsOfEach; ++i) {
          const auto number = static_cast<uint64_t>(sender * kRequestsOfEach + i);
          if (!send(number))
            continue;
          const base::MutexLock lock(mutex_);
          acknowledged_.insert(number);
        }
      });
    }
    for (std::thread& sender : senders)
      sender.join();
  }

  void ExpectAllWell() {
    if (!base::kIsSanitized) {
      EXPECT_LE(static_cast<double>(server_.MemoryPeak()), kPeakMax * kMemoryLimit);
    }
    EXPECT_EQ(server_.Metric("flarestack_requests_bytes"), 0u);
    EXPECT_EQ(server_.Metric("flarestack_work_bytes"), 0u);
    const std::map<uint64_t, int> counts = NumberedCounts(server_);
    for (const uint64_t number : acknowledged())
      EXPECT_EQ(counts.contains(number) ? counts.at(number) : 0, 1) << number;
    RecordProperty("acknowledged", static_cast<int>(acknowledged().size()));
    RecordProperty("memory_peak_mib", static_cast<int>(server_.MemoryPeak() >> 20));
  }

  HeavyMessage Message(Weight weight, uint64_t number, size_t items) const {
    return {.weight = weight, .number = number, .items = items, .time_nanos = time_};
  }

  const uint64_t time_ = base::NowNanos() - 60'000'000'000;
  TemporaryFolder folder_;
  ServerProcess server_{folder_.File("data"), {"--memory-limit", std::to_string(kMemoryLimit)}};
  base::Mutex mutex_;
  std::set<uint64_t> acknowledged_ FLARE_GUARDED_BY(mutex_);
};

TEST_F(MemoryLimitTest, AppliesToManyEvents) {
  Flood([&](uint64_t number) {
    return ByGrpc(HeavyProtobuf(Message(Weight::kEvents, number, 500'000)));
  });
  EXPECT_FALSE(acknowledged().empty());
  ExpectAllWell();
}

TEST_F(MemoryLimitTest, AppliesToManyNewNames) {
  Flood([&](uint64_t number) {
    return ByGrpc(HeavyProtobuf(Message(Weight::kNames, number, 20'000)));
  });
  EXPECT_FALSE(acknowledged().empty());
  ExpectAllWell();
}

TEST_F(MemoryLimitTest, AppliesToDeepNesting) {
  Flood([&](uint64_t number) {
    return ByHttp({.body = HeavyProtobuf(Message(Weight::kNesting, number, 16'000))});
  });
  EXPECT_FALSE(acknowledged().empty());
  ExpectAllWell();
}

TEST_F(MemoryLimitTest, AppliesToJson) {
  Flood([&](uint64_t number) {
    return ByHttp({.content_type = "application/json",
                   .body = HeavyJson(Message(Weight::kEvents, number, 60'000))});
  });
  EXPECT_FALSE(acknowledged().empty());
  ExpectAllWell();
}

TEST_F(MemoryLimitTest, AppliesToCompressedRequests) {
  Flood([&](uint64_t number) {
    const std::string message = HeavyProtobuf(Message(Weight::kNames, number, 10'000));
    return number % 2 == 0 ? ByGrpc(message, /*gzip=*/true)
                           : ByHttp({.body = base::Gzip(message), .content_encoding = "gzip"});
  });
  EXPECT_FALSE(acknowledged().empty());
  ExpectAllWell();
}

// Two bytes per entry, but fifty in memory: a message that needs more than the budget of all
// requests is rejected permanently, without being fully decoded.
TEST_F(MemoryLimitTest, AppliesToEntriesOfTwoBytes) {
  Flood([&](uint64_t number) {
    return ByGrpc(HeavyProtobuf(Message(Weight::kEmpty, number, 1'000'000)));
  });
  EXPECT_TRUE(acknowledged().empty());
  EXPECT_TRUE(ByGrpc(HeavyProtobuf(Message(Weight::kEmpty, 1000, 10'000))));
  ExpectAllWell();
}

}  // namespace
}  // namespace flarestack::testing
