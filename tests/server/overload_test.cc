// SPDX-License-Identifier: Apache-2.0
//
// Ten times as much at once as the server can hold: it stays within its memory limit, asks to retry
// requests that it cannot accept, keeps acknowledged data, and recovers afterwards.
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/sanitized.h"
#include "codec/otlp/export_response.h"
#include "net/grpc/grpc_client.h"
#include "net/http/http_client.h"
#include "support/otlp_messages.h"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

constexpr uint64_t kMemoryLimit = 64 << 20;
constexpr uint64_t kInFlight = kMemoryLimit / 4;
// The program itself, its threads and libraries; documented in docs/how-to/keep-data-safe.md.
constexpr uint64_t kBeyondLimit = 192 << 20;
constexpr size_t kRequestBytes = 512 << 10;
constexpr int kSenders = 10 * kInFlight / kRequestBytes;
constexpr int kRequestsOfEach = 3;

class OverloadTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(server_.is_running()) << server_.log(); }

  void ByHttp(uint64_t number, const std::string& message) {
    const Answer response = Send({.url = server_.otlp_http() + "/v1/profiles", .body = message});
    if (response.status == 200)
      return Acknowledge(number);
    ++rejected_;
    EXPECT_TRUE(response.status == 503 || response.status == 429)
        << response.status << " " << response.error;
    EXPECT_NE(response.retry_after, "");
  }

  void ByGrpc(uint64_t number, const std::string& message) {
    auto client = net::GrpcClient::Create({.target = server_.otlp_grpc()});
    net::GrpcCallOptions options;
    options.timeout = std::chrono::minutes(2);
    const net::GrpcResult result = (*client)->Call(kProfilesMethod, message, options);
    if (result.code == absl::StatusCode::kOk)
      return Acknowledge(number);
    ++rejected_;
    EXPECT_EQ(result.code, absl::StatusCode::kUnavailable) << result.error_message;
  }

  void Acknowledge(uint64_t number) {
    const base::MutexLock lock(mutex_);
    acknowledged_.insert(number);
  }

  std::set<uint64_t> acknowledged() {
    const base::MutexLock lock(mutex_);
    return acknowledged_;
  }

  // All senders at once, each with its own requests.
  void Flood(bool by_grpc) {
    std::vector<std::thread> senders;
    for (int sender = 0; sender < kSenders; ++sender) {
      senders.emplace_back([this, sender, by_grpc] {
        for (int i = 0; i < kRequestsOfEach; ++i) {
          const auto number =
              static_cast<uint64_t>((sender * kRequestsOfEach + i) * 2 + (by_grpc ? 1 : 0));
          const std::string message = NumberedMessage(number, time_, kRequestBytes);
          by_grpc ? ByGrpc(number, message) : ByHttp(number, message);
        }
      });
    }
    for (std::thread& sender : senders)
      sender.join();
  }

  void ExpectAllWell() {
    EXPECT_GT(rejected_, 0);
    EXPECT_FALSE(acknowledged().empty());
    if (!base::kIsSanitized) {
      EXPECT_LT(server_.MemoryPeak(), kMemoryLimit + kBeyondLimit);
    }
    EXPECT_LE(server_.Metric("flarestack_requests_bytes_max"), kInFlight);
    EXPECT_EQ(server_.Metric("flarestack_requests_bytes"), 0u);
    const uint64_t last = 1'000'000;
    EXPECT_EQ(Send({.url = server_.otlp_http() + "/v1/profiles",
                    .body = NumberedMessage(last, time_, kRequestBytes)})
                  .status,
              200);
    Acknowledge(last);
    const std::map<uint64_t, int> counts = NumberedCounts(server_);
    for (const uint64_t number : acknowledged())
      EXPECT_EQ(counts.contains(number) ? counts.at(number) : 0, 1) << number;
    for (const auto& [number, count] : counts)
      EXPECT_EQ(count, 1) << number;
    RecordProperty("refused", rejected_);
    RecordProperty("acknowledged", static_cast<int>(acknowledged().size()));
    RecordProperty("memory_peak_mib", static_cast<int>(server_.MemoryPeak() >> 20));
  }

  const uint64_t time_ = base::NowNanos();
  TemporaryFolder folder_;
  ServerProcess server_{folder_.File("data"), {"--memory-limit", std::to_string(kMemoryLimit)}};
  std::atomic<int> rejected_ = 0;
  base::Mutex mutex_;
  std::set<uint64_t> acknowledged_ FLARE_GUARDED_BY(mutex_);
};

TEST_F(OverloadTest, SurvivesOverloadOverHttp) {
  Flood(false);
  ExpectAllWell();
}

TEST_F(OverloadTest, SurvivesOverloadOverGrpc) {
  Flood(true);
  ExpectAllWell();
}

}  // namespace
}  // namespace flarestack::testing
