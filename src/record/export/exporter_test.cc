// SPDX-License-Identifier: Apache-2.0
//
// Uses real servers on the loopback interface, and a clock that does not wait.
#include "record/export/exporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "base/testing/eventually.h"
#include "base/text/text.h"
#include "model/signal.h"
#include "net/grpc/grpc_server.h"
#include "net/http/http_server.h"
#include "net/testing/gate.h"

// gRPC's name resolver leaks ten bytes if the process ends during its setup. Read by the leak
// checker, if there is one.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:libcares";
}

namespace flarestack::record::exporting {
namespace {

using codec::otlp::Encoding;
using model::Signal;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kPath[] = "/v1development/profiles";
constexpr char kMethod[] =
    "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export";

// Records the requests that reach a server and the waits of the sender; tests can wait for both.
class Journal {
 public:
  void Arrive(const std::string& request) {
    const base::MutexLock lock(mutex_);
    arrived_.push_back(request);
    changed_.NotifyAll();
  }
  void Wait(milliseconds delay) {
    const base::MutexLock lock(mutex_);
    waits_.push_back(delay);
    changed_.NotifyAll();
  }

  std::vector<std::string> AwaitArrived(size_t count) {
    const base::MutexLock lock(mutex_);
    while (arrived_.size() < count)
      changed_.Wait(mutex_);
    return arrived_;
  }
  std::vector<milliseconds> AwaitWaits(size_t count) {
    const base::MutexLock lock(mutex_);
    while (waits_.size() < count)
      changed_.Wait(mutex_);
    return waits_;
  }

 private:
  base::Mutex mutex_;
  base::CondVar changed_;
  std::vector<std::string> arrived_ FLARE_GUARDED_BY(mutex_);
  std::vector<milliseconds> waits_ FLARE_GUARDED_BY(mutex_);
};

class ExporterTest : public ::testing::Test {
 protected:
  ExporterTest() {
    std::string name = ::testing::TempDir() + "exporter_XXXXXX";
    folder_ = mkdtemp(name.data());
    options_.back_off = {.first = milliseconds(1), .longest = milliseconds(2)};
  }
  ~ExporterTest() override {
    exporter_ = nullptr;
    http_ = nullptr;
    std::filesystem::remove_all(folder_);
  }

  // Serves the responses in turn; the last one repeats. Reuses the address of an earlier server.
  void ServeHttp(const std::vector<net::HttpResponse>& responses) {
    net::HttpServerOptions options;
    options.listen.port = port_;
    options.routes = {{"POST", kPath, [this, responses](net::HttpRequest& request) {
                         net::HttpResponse response =
                             responses[std::min(size_t{calls_++}, responses.size() - 1)];
                         if (response.status == 200)
                           journal_.Arrive(request.body);
                         return response;
                       }}};
    auto server = net::HttpServer::Start(std::move(options));
    ASSERT_TRUE(server.ok()) << server.status();
    http_ = *std::move(server);
    port_ = http_->port();
    options_.target.url = base::StrCat("http://127.0.0.1:", port_, kPath);
  }
  void StopHttp() { http_ = nullptr; }

  void Start() {
    exporter_ = nullptr;
    auto exporter = Exporter::Start(options_);
    ASSERT_TRUE(exporter.ok()) << exporter.status();
    exporter_ = *std::move(exporter);
  }
  // Records waits without waiting.
  void DoNotWait() {
    options_.wait = [this](milliseconds delay) {
      journal_.Wait(delay);
      return true;
    };
  }
  ExporterStats StopAndLook(milliseconds grace = std::chrono::minutes(1)) {
    exporter_->Stop(grace);
    return exporter_->stats();
  }

  std::string folder_;
  ExporterOptions options_;
  uint16_t port_ = 0;
  std::atomic<uint32_t> calls_ = 0;
  Journal journal_;
  std::unique_ptr<net::HttpServer> http_;
  std::unique_ptr<Exporter> exporter_;
};

uint64_t Dropped(const ExporterStats& stats, SpoolDrop cause) {
  return stats.spool.dropped[static_cast<size_t>(cause)];
}

TEST_F(ExporterTest, SendsInOrder) {
  ServeHttp({{.status = 200}});
  Start();
  for (const char* const request : {"a", "b", "c"})
    EXPECT_TRUE(exporter_->Offer(request));
  EXPECT_THAT(journal_.AwaitArrived(3), ElementsAre("a", "b", "c"));
  const ExporterStats stats = StopAndLook();
  EXPECT_EQ(stats.offered, 3u);
  EXPECT_EQ(stats.sent, 3u);
  EXPECT_EQ(stats.sent_bytes, 3u);
  EXPECT_EQ(stats.retries, 0u);
  EXPECT_EQ(stats.last_error, "");
  EXPECT_EQ(stats.spool.requests, 0u);
}

TEST_F(ExporterTest, DeliversRequestsOfferedDuringAnOutage) {
  ServeHttp({{.status = 200}});
  StopHttp();
  options_.spool.directory = folder_ + "/spool";
  options_.spool.memory_bytes_max = 20 * (100 + Spool::kMemoryOverheadBytes);
  Start();
  std::vector<std::string> all;
  for (int i = 0; i < 100; ++i) {
    all.push_back(base::StrCat(i, std::string(100 - std::to_string(i).size(), '.')));
    EXPECT_TRUE(exporter_->Offer(all.back()));
    ASSERT_TRUE(base::testing::Eventually([&] {
      return exporter_->stats().spool.memory_bytes <= options_.spool.memory_bytes_max / 2;
    }));
  }
  ASSERT_TRUE(base::testing::Eventually([&] { return exporter_->stats().retries > 0; }));
  EXPECT_NE(exporter_->stats().last_error, "");
  EXPECT_GT(exporter_->stats().spool.disk_bytes, 0u);
  ServeHttp({{.status = 200}});
  EXPECT_EQ(journal_.AwaitArrived(100), all);
  const ExporterStats stats = StopAndLook();
  EXPECT_EQ(stats.sent, 100u);
  EXPECT_EQ(stats.spool.disk_bytes, 0u);
  EXPECT_EQ(stats.last_error, "");
}

TEST_F(ExporterTest, RestartSendsSpooledRequests) {
  ServeHttp({{.status = 200}});
  StopHttp();
  options_.spool.directory = folder_ + "/spool";
  Start();
  exporter_->Offer("a");
  exporter_->Offer("b");
  const ExporterStats left = StopAndLook();
  EXPECT_EQ(left.sent, 0u);
  EXPECT_EQ(left.spool.requests, 2u);
  ServeHttp({{.status = 200}});
  Start();
  exporter_->Offer("c");
  EXPECT_THAT(journal_.AwaitArrived(3), ElementsAre("a", "b", "c"));
  EXPECT_EQ(StopAndLook().sent, 3u);
}

// The missing data may become available while the server is down, or in the next process.
TEST_F(ExporterTest, CompletesAnIncompleteRequestOnSend) {
  ServeHttp({{.status = 200}});
  StopHttp();
  options_.spool.directory = folder_ + "/spool";
  std::atomic<bool> has_names = false;
  options_.complete = [&](std::string_view request) -> std::optional<std::string> {
    return has_names ? std::optional(base::StrCat(request, "+names")) : std::nullopt;
  };
  Start();
  exporter_->Offer("a", Content::kIncomplete);
  ASSERT_TRUE(base::testing::Eventually([&] { return exporter_->stats().retries > 0; }));
  has_names = true;
  ServeHttp({{.status = 200}});
  EXPECT_THAT(journal_.AwaitArrived(1), ElementsAre("a+names"));
  exporter_->Offer("b", Content::kFinal);
  EXPECT_THAT(journal_.AwaitArrived(2), ElementsAre("a+names", "b"));
  // Or it would be sent again.
  ASSERT_TRUE(base::testing::Eventually([&] { return exporter_->stats().sent >= 2; }));
  StopHttp();
  exporter_->Offer("c", Content::kFinal);
  StopAndLook();
  ServeHttp({{.status = 200}});
  Start();
  EXPECT_THAT(journal_.AwaitArrived(3), ElementsAre("a+names", "b", "c+names"));
}

TEST_F(ExporterTest, CountsUnsentRequestsAtStopWithoutADirectory) {
  ServeHttp({{.status = 200}});
  StopHttp();
  Start();
  exporter_->Offer("a");
  const ExporterStats stats = StopAndLook(milliseconds(0));
  EXPECT_EQ(Dropped(stats, SpoolDrop::kClosed), 1u);
  EXPECT_FALSE(exporter_->Offer("b"));
  EXPECT_EQ(Dropped(exporter_->stats(), SpoolDrop::kClosed), 2u);
}

TEST_F(ExporterTest, StopSendsQueuedRequests) {
  net::Gate gate;
  ServeHttp({{.status = 503, .headers = {{"Retry-After", "60"}}}, {.status = 200}});
  options_.wait = [&](milliseconds) {
    gate.Pass();  // the wait that Stop interrupts
    return false;
  };
  Start();
  exporter_->Offer("a");
  exporter_->Offer("b");
  gate.AwaitWaiting(1);
  std::thread opener([&] { gate.Open(); });
  const ExporterStats stats = StopAndLook();
  opener.join();
  EXPECT_EQ(stats.sent, 2u);
  EXPECT_EQ(stats.spool.requests, 0u);
}

TEST_F(ExporterTest, DropsAndCountsPermanentRejections) {
  ServeHttp({{.status = 400}, {.status = 401}, {.status = 200}});
  Start();
  for (const char* const request : {"a", "b", "c"})
    exporter_->Offer(request);
  EXPECT_THAT(journal_.AwaitArrived(1), ElementsAre("c"));
  const ExporterStats stats = StopAndLook();
  EXPECT_EQ(stats.rejected, 2u);
  EXPECT_EQ(stats.sent, 1u);
  EXPECT_EQ(stats.retries, 0u);
}

TEST_F(ExporterTest, HonorsRetryAfterUpToALimit) {
  ServeHttp({{.status = 503, .headers = {{"Retry-After", "7"}}},
             {.status = 429, .headers = {{"Retry-After", "999999999"}}},
             {.status = 502},
             {.status = 200}});
  DoNotWait();
  Start();
  exporter_->Offer("a");
  EXPECT_THAT(journal_.AwaitArrived(1), ElementsAre("a"));
  const std::vector<milliseconds> waits = journal_.AwaitWaits(3);
  EXPECT_GE(waits[0], milliseconds(7000));
  EXPECT_LT(waits[0], milliseconds(7100));
  EXPECT_GE(waits[1], options_.delay_max);
  EXPECT_LT(waits[1], options_.delay_max + milliseconds(100));
  EXPECT_LT(waits[2], milliseconds(100));
  EXPECT_EQ(StopAndLook().retries, 3u);
}

TEST_F(ExporterTest, CountsARejectedPartWithoutResending) {
  ServeHttp(
      {{.status = 200,
        .body = EncodeExportResponse(Signal::kProfiles, {.rejected = 3, .error_message = "too old"},
                                     Encoding::kProtobuf)},
       {.status = 200}});
  std::vector<std::string> lines;
  base::EventLog log({.write = [&](std::string_view line) { lines.emplace_back(line); }});
  options_.log = &log;
  Start();
  exporter_->Offer("a");
  exporter_->Offer("b");
  EXPECT_THAT(journal_.AwaitArrived(2), ElementsAre("a", "b"));
  const ExporterStats stats = StopAndLook();
  EXPECT_EQ(stats.sent, 2u);
  EXPECT_EQ(stats.partial, 1u);
  EXPECT_EQ(stats.rejected_profiles, 3u);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("export.partial"));
  EXPECT_THAT(lines[0], HasSubstr("too old"));
}

TEST_F(ExporterTest, DropsTheOldestIfTheServerIsDownForTooLong) {
  ServeHttp({{.status = 200}});
  StopHttp();
  options_.spool.directory = folder_ + "/spool";
  options_.spool.memory_bytes_max = 4 * (100 + Spool::kMemoryOverheadBytes);
  options_.spool.disk_bytes_max = 5 * (100 + Spool::kDiskOverheadBytes);
  Start();
  for (int i = 100; i < 200; ++i) {
    exporter_->Offer(base::StrCat(i, std::string(97, '.')));
    const Spool::Stats spool = exporter_->stats().spool;
    EXPECT_LE(spool.memory_bytes, options_.spool.memory_bytes_max);
    EXPECT_LE(spool.disk_bytes, options_.spool.disk_bytes_max);
  }
  const ExporterStats stats = StopAndLook(milliseconds(0));
  const uint64_t lost =
      Dropped(stats, SpoolDrop::kDiskFull) + Dropped(stats, SpoolDrop::kMemoryFull);
  // Memory overflows as well if the disk is slower than this loop.
  EXPECT_GE(stats.spool.requests, 4u);
  EXPECT_LE(stats.spool.requests, 5u);
  EXPECT_EQ(lost + stats.spool.requests, 100u);
  ServeHttp({{.status = 200}});
  Start();
  const std::vector<std::string> arrived = journal_.AwaitArrived(stats.spool.requests);
  EXPECT_THAT(arrived.back(), HasSubstr("199"));
}

TEST_F(ExporterTest, SpeaksGrpc) {
  net::GrpcResponse busy;
  busy.code = absl::StatusCode::kUnavailable;
  net::GrpcServerOptions options;
  options.methods = {{kMethod, [&](net::GrpcRequest& request) {
                        if (calls_++ == 0)
                          return busy;
                        journal_.Arrive(request.message);
                        return net::GrpcResponse{};
                      }}};
  auto server = net::GrpcServer::Start(std::move(options));
  ASSERT_TRUE(server.ok());
  options_.target.protocol = OtlpProtocol::kGrpc;
  options_.target.address = base::StrCat("127.0.0.1:", (*server)->port());
  Start();
  exporter_->Offer("a");
  EXPECT_THAT(journal_.AwaitArrived(1), ElementsAre("a"));
  const ExporterStats stats = StopAndLook();
  EXPECT_EQ(stats.sent, 1u);
  EXPECT_EQ(stats.retries, 1u);
  exporter_ = nullptr;
}

TEST_F(ExporterTest, RejectsJsonForRecordedProfiles) {
  options_.target.protocol = OtlpProtocol::kHttpJson;
  EXPECT_EQ(Exporter::Start(options_).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace flarestack::record::exporting
