// SPDX-License-Identifier: Apache-2.0
//
// `serve --disk-limit`: sends three times as much as fits, hour after hour, for each signal alone
// and for all together, with and without kills. The directory never exceeds the limit by more than
// a tenth, the oldest hours are dropped first and no more than necessary, and dropped data stays
// dropped after a restart.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/file/directory.h"
#include "base/mutex.h"
#include "base/testing/eventually.h"
#include "base/text/text.h"
#include "support/otlp_messages.h"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kLimit = 32 * kMiB;
constexpr int kHours = 40;
constexpr size_t kHourBytes = 3 * kLimit / kHours;  // incompressible
constexpr int kRequestsPerHour = 8;
constexpr int kItems = 16;  // per request

uint64_t DirectoryBytes(const std::string& directory) {
  uint64_t bytes = 0;
  base::VisitFiles(directory, [&](const base::FileUse& file) { bytes += file.bytes; });
  return bytes;
}

// Measures the peak size of a directory while the object exists.
class PeakWatch {
 public:
  explicit PeakWatch(std::string directory)
      : directory_(std::move(directory)), thread_([this] { Watch(); }) {}
  ~PeakWatch() {
    {
      const base::MutexLock lock(mutex_);
      is_over_ = true;
    }
    over_.NotifyOne();
    thread_.join();
  }
  uint64_t peak() const { return peak_.load(); }

 private:
  static constexpr std::chrono::milliseconds kPeriod{2};

  void Watch() {
    const base::MutexLock lock(mutex_);
    while (!is_over_) {
      peak_.store(std::max(peak_.load(), DirectoryBytes(directory_)));
      over_.WaitFor(mutex_, kPeriod);
    }
  }

  const std::string directory_;
  std::atomic<uint64_t> peak_ = 0;
  base::Mutex mutex_;
  base::CondVar over_;
  bool is_over_ FLARE_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

enum class Kind { kProfiles, kSpans, kLogs };

std::string_view PathOf(Kind kind) {
  switch (kind) {
    case Kind::kProfiles:
      return "/v1/profiles";
    case Kind::kSpans:
      return "/v1/traces";
    case Kind::kLogs:
      return "/v1/logs";
  }
  return "";
}

class DiskLimitTest : public ::testing::Test {
 protected:
  // Without a limit nothing is dropped, so that the remaining data can be checked.
  void Start(bool is_limited = true) {
    std::vector<std::string> flags = {"--memory-limit", "128MiB", "--durability", "os"};
    if (is_limited)
      flags.insert(flags.end(), {"--disk-limit", base::StrCat(kLimit)});
    server_.reset();
    server_ = std::make_unique<ServerProcess>(data_, flags);
    ASSERT_TRUE(server_->is_running()) << server_->log();
  }

  uint64_t TimeOf(int hour) const {
    return now_ - static_cast<uint64_t>(kHours - 1 - hour) * base::kNanosPerHour;
  }
  static std::string TraceIdOf(int hour) { return fmt::format("{:032x}", hour + 1); }

  Post RequestOf(Kind kind, int hour, int number, size_t bytes) const {
    Post post = {.url = base::StrCat(server_->otlp_http(), PathOf(kind)), .body = {}};
    const auto seed = static_cast<uint64_t>(hour * 1000 + number);
    if (kind == Kind::kProfiles) {
      post.body = NumberedMessage(seed, TimeOf(hour), bytes);
      return post;
    }
    post.content_type = "application/json";
    std::vector<std::string> items;
    for (int i = 0; i < kItems; ++i) {
      const std::string text = RandomText(seed * kItems + static_cast<uint64_t>(i), bytes / kItems);
      const int span = number * kItems + i + 1;
      if (kind == Kind::kSpans) {
        items.push_back(fmt::format(
            R"({{"traceId":"{}","spanId":"{:016x}","name":"GET /","startTimeUnixNano":"{}",)"
            R"("endTimeUnixNano":"{}","attributes":[{{"key":"a","value":{{"stringValue":"{}"}}}}]}})",
            TraceIdOf(hour), span, TimeOf(hour), TimeOf(hour) + 5, text));
      } else {
        items.push_back(
            fmt::format(R"({{"timeUnixNano":"{}","traceId":"{}","body":{{"stringValue":"{}"}}}})",
                        TimeOf(hour), TraceIdOf(hour), text));
      }
    }
    post.body = kind == Kind::kSpans ? TracesRequest("s", items) : LogsRequest("s", items);
    return post;
  }

  // Sends until accepted: with a full disk the server asks to retry.
  void SendUntilTaken(const Post& post) {
    Answer response;
    const bool is_final = base::testing::Eventually([&] {
      response = Send(post);
      rejected_ += response.status == 429 ? 1 : 0;
      return response.status != 429;
    });
    ASSERT_TRUE(is_final && response.status == 200)
        << response.body << response.error << server_->log();
  }

  void SendHour(const std::vector<Kind>& kinds, int hour) {
    const size_t bytes = kHourBytes / kRequestsPerHour / kinds.size();
    for (int number = 0; number < kRequestsPerHour; ++number) {
      for (const Kind kind : kinds)
        SendUntilTaken(RequestOf(kind, hour, number, bytes));
    }
  }

  bool Has(Kind kind, int hour) const {
    const uint64_t begin = TimeOf(hour) / base::kNanosPerHour * base::kNanosPerHour;
    const std::string range = fmt::format("from={}&to={}", begin, begin + base::kNanosPerHour);
    const std::string api = server_->http() + "/api/v1";
    switch (kind) {
      case Kind::kProfiles:
        return Get(base::StrCat(api, "/export?format=folded&", range)).status == 200;
      case Kind::kSpans:
        return Get(base::StrCat(api, "/trace/", TraceIdOf(hour))).status == 200;
      case Kind::kLogs: {
        const std::string body = Get(base::StrCat(api, "/logs?trace=", TraceIdOf(hour))).body;
        return body.find("\"body\"") != std::string::npos;
      }
    }
    return false;
  }

  // The first stored hour. All later hours must be stored too.
  int FirstHour(Kind kind) const {
    int first = 0;
    while (first < kHours && !Has(kind, first))
      ++first;
    for (int hour = first; hour < kHours; ++hour)
      EXPECT_TRUE(Has(kind, hour)) << PathOf(kind) << " of hour " << hour << ", but not " << first;
    return first;
  }

  std::set<int> FirstHours(const std::vector<Kind>& kinds) const {
    std::set<int> hours;
    for (const Kind kind : kinds)
      hours.insert(FirstHour(kind));
    return hours;
  }

  void ExpectHeld(const std::vector<Kind>& kinds, uint64_t peak) {
    EXPECT_LE(peak, kLimit + kLimit / 10);
    EXPECT_EQ(server_->Stop(), 0);
    const uint64_t resting = DirectoryBytes(data_);
    EXPECT_LE(resting, kLimit);
    // Dropped no more than necessary: an hour is a tenth of what fits.
    EXPECT_GE(resting, kLimit / 2);
    Start(/*is_limited=*/false);
    const std::set<int> first_hours = FirstHours(kinds);
    EXPECT_EQ(first_hours.size(), 1u) << ::testing::PrintToString(first_hours);
    EXPECT_GT(*first_hours.begin(), 0);
    EXPECT_LT(*first_hours.begin(), kHours - 4);
    server_->Kill();
    Start(/*is_limited=*/false);
    EXPECT_EQ(FirstHours(kinds), first_hours) << "after a restart";
    RecordProperty("peak_percent", static_cast<int>(peak * 100 / kLimit));
    RecordProperty("resting_percent", static_cast<int>(resting * 100 / kLimit));
    RecordProperty("first_hour", *first_hours.begin());
    RecordProperty("refused", rejected_);
    if (HasFailure())
      std::cout << "peak " << peak << " resting " << resting << " refused " << rejected_ << "\n";
  }

  void SendAndExpectHeld(const std::vector<Kind>& kinds, int kill_every_hours = 0) {
    const PeakWatch watch(data_);
    Start();
    for (int hour = 0; hour < kHours && !HasFatalFailure(); ++hour) {
      SendHour(kinds, hour);
      if (kill_every_hours != 0 && hour % kill_every_hours == kill_every_hours - 1) {
        server_->Kill();
        Start();
      }
    }
    if (!HasFatalFailure())
      ExpectHeld(kinds, watch.peak());
  }

  const uint64_t now_ = base::NowNanos();
  const TemporaryFolder folder_;
  const std::string data_ = folder_.File("data");
  std::unique_ptr<ServerProcess> server_;
  int rejected_ = 0;
};

TEST_F(DiskLimitTest, AppliesToProfiles) { SendAndExpectHeld({Kind::kProfiles}); }

TEST_F(DiskLimitTest, AppliesToSpans) { SendAndExpectHeld({Kind::kSpans}); }

TEST_F(DiskLimitTest, AppliesToLogs) { SendAndExpectHeld({Kind::kLogs}); }

TEST_F(DiskLimitTest, AppliesToAllSignalsTogether) {
  SendAndExpectHeld({Kind::kProfiles, Kind::kSpans, Kind::kLogs});
}

TEST_F(DiskLimitTest, AppliesAcrossKillsOfTheServer) {
  SendAndExpectHeld({Kind::kProfiles, Kind::kSpans, Kind::kLogs}, 5);
}

}  // namespace
}  // namespace flarestack::testing
