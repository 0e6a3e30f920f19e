// SPDX-License-Identifier: Apache-2.0
//
// Ten times as many requests as a server can handle: how much it still acknowledges, how fast, and
// how much memory it uses. First a few senders, just enough to keep the server busy, send the
// requests. Then many send them at once, and each waits before a retry for as long as the server
// says. Results are ratios, so that the speed of the machine does not matter.
//
//   overload_bench [SECONDS] [SENDERS] [PATH_OF_FLARESTACK]    default: 10, 24, the program beside
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <thread>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/text/text.h"
#include "codec/otlp/export_response.h"
#include "codec/otlp/testing/heavy_message.h"
#include "model/signal.h"
#include "net/grpc/grpc_client.h"
#include "server.h"
#include "server/ingest/otlp_grpc.h"

namespace flarestack::bench {
namespace {

using codec::otlp::testing::HeavyNameNumber;
using codec::otlp::testing::HeavyProtobuf;
using codec::otlp::testing::Weight;
using Clock = std::chrono::steady_clock;

constexpr double kPeakMax = 1.1;        // of the limit
constexpr double kThroughputMin = 0.6;  // relative to the speed without overload
constexpr double kP99Max = 2;           // seconds
constexpr int kUnloadedSenders = 2;
constexpr int kMebibyte = 1 << 20;

struct Case {
  const char* name;
  Weight weight;
  size_t items;
  int limit_mib;
};
constexpr Case kCases[] = {{"many events", Weight::kEvents, 700'000, 512},
                           {"many events", Weight::kEvents, 700'000, 192},
                           {"new names", Weight::kNames, 20'000, 512},
                           {"new names", Weight::kNames, 20'000, 192}};

// Messages with numbers at known offsets, so that senders need not build each one.
class Messages {
 public:
  explicit Messages(const Case& of) {
    for (uint64_t i = 0; i < kTemplates; ++i)
      templates_.push_back(HeavyProtobuf({.weight = of.weight,
                                          .number = i,
                                          .items = of.items,
                                          .time_nanos = base::NowNanos() - 60'000'000'000}));
  }

  // Replaces the ids of the template by new ones: a message that the server already knows costs
  // nothing.
  std::string Next() {
    const uint64_t number = kTemplates + next_++;
    std::string message = templates_[number % kTemplates];
    for (const char* kind : {"numbered", "weighted"}) {
      const size_t at = message.find(kind) + 8;
      for (size_t i = 0; i < 8; ++i)
        message[at + i] = static_cast<char>(number >> (8 * (7 - i)));
    }
    const std::string old_name = base::StrCat("name_", HeavyNameNumber(number % kTemplates));
    const std::string new_name = base::StrCat("name_", HeavyNameNumber(number));
    for (size_t at = message.find(old_name); at != std::string::npos;
         at = message.find(old_name, at + new_name.size()))
      message.replace(at, new_name.size(), new_name);
    return message;
  }

 private:
  static constexpr uint64_t kTemplates = 8;
  std::vector<std::string> templates_;
  std::atomic<uint64_t> next_ = 0;
};

struct Result {
  double megabytes = 0;
  double seconds = 0;
  int acknowledged = 0;
  int rejected = 0;
  int failed = 0;                 // with a permanent error
  std::vector<double> responses;  // seconds until each acknowledgement, sorted

  double Speed() const { return megabytes / seconds; }
  double P99() const {
    return responses.empty()
               ? 0
               : responses[static_cast<size_t>(0.99 * static_cast<double>(responses.size() - 1))];
  }
};

std::chrono::milliseconds DelayOf(const net::GrpcResult& result) {
  const auto details =
      codec::otlp::DecodeRpcStatus(result.error_details, codec::otlp::Encoding::kProtobuf);
  if (details.ok() && details->retry_delay.has_value())
    return std::chrono::duration_cast<std::chrono::milliseconds>(*details->retry_delay);
  return std::chrono::seconds(1);
}

class Load {
 public:
  Load(Messages* messages, std::string target) : messages_(*messages), target_(std::move(target)) {}

  Result Run(int senders, std::chrono::seconds time) {
    Result result;
    const auto begin = Clock::now();
    std::vector<std::thread> threads;
    for (int i = 0; i < senders; ++i)
      threads.emplace_back([&] { SendUntil(begin + time, &result); });
    for (std::thread& thread : threads)
      thread.join();
    result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    std::ranges::sort(result.responses);
    return result;
  }

 private:
  void SendUntil(Clock::time_point end, Result* result) {
    const std::string method(server::OtlpGrpcMethod(model::Signal::kProfiles));
    auto client = net::GrpcClient::Create({.target = target_});
    std::string message = messages_.Next();
    while (Clock::now() < end) {
      const auto before = Clock::now();
      const net::GrpcResult response =
          (*client)->Call(method, message, {.timeout = std::chrono::seconds(60)});
      const std::chrono::duration<double> took = Clock::now() - before;
      {
        const base::MutexLock lock(mutex_);
        if (response.code == absl::StatusCode::kOk) {
          ++result->acknowledged;
          result->megabytes += static_cast<double>(message.size()) / 1e6;
          result->responses.push_back(took.count());
        } else if (response.code == absl::StatusCode::kUnavailable) {
          ++result->rejected;
        } else {
          ++result->failed;
          std::fprintf(stderr, "%s\n", response.error_message.c_str());
        }
      }
      if (response.code != absl::StatusCode::kUnavailable)
        message = messages_.Next();
      else
        std::this_thread::sleep_for(DelayOf(response));
    }
  }

  Messages& messages_;
  const std::string target_;
  base::Mutex mutex_;  // of the result
};

const char* Mark(bool is_met) { return is_met ? "ok" : "MISSED"; }

bool RunCase(const Case& of, std::chrono::seconds time, int senders, const std::string& program) {
  std::string directory = std::filesystem::temp_directory_path().string() + "/overload_XXXXXX";
  if (mkdtemp(directory.data()) == nullptr)
    return false;
  Server server(program, directory, {"--memory-limit", std::to_string(of.limit_mib) + "MiB"});
  if (!server.is_running()) {
    std::fprintf(stderr, "cannot start %s\n", program.c_str());
    return false;
  }
  Messages messages(of);
  std::printf("%s, %.1f MB each, --memory-limit %dMiB\n", of.name,
              static_cast<double>(messages.Next().size()) / 1e6, of.limit_mib);
  Load load(&messages, server.otlp_grpc());
  const Result unloaded = load.Run(kUnloadedSenders, time);
  std::printf("  %2d senders: %6.1f MB/s, %d acknowledged, %d rejected, p99 %.2f s\n",
              kUnloadedSenders, unloaded.Speed(), unloaded.acknowledged, unloaded.rejected,
              unloaded.P99());
  const Result loaded = load.Run(senders, time);
  std::printf("  %2d senders: %6.1f MB/s, %d acknowledged, %d rejected, %d failed\n", senders,
              loaded.Speed(), loaded.acknowledged, loaded.rejected, loaded.failed);
  const double ratio = loaded.Speed() / unloaded.Speed();
  const double peak = server.PeakBytes() / kMebibyte / of.limit_mib;
  std::printf("  throughput under load / without  %5.2f (at least %.1f) %s\n", ratio,
              kThroughputMin, Mark(ratio >= kThroughputMin));
  std::printf("  p99 of acknowledged              %5.2f s (below %.0f) %s\n", loaded.P99(), kP99Max,
              Mark(loaded.P99() < kP99Max));
  std::printf("  peak memory / limit              %5.2f (at most %.1f) %s\n", peak, kPeakMax,
              Mark(peak <= kPeakMax));
  std::fflush(stdout);
  server.Stop();
  std::filesystem::remove_all(directory);
  return ratio >= kThroughputMin && loaded.P99() < kP99Max && peak <= kPeakMax &&
         loaded.failed == 0;
}

}  // namespace
}  // namespace flarestack::bench

int main(int argc, char** argv) {
  const std::string beside =
      (std::filesystem::path(argv[0]).parent_path().parent_path() / "flarestack").string();
  const std::chrono::seconds time(argc > 1 ? std::atoi(argv[1]) : 10);
  const int senders = argc > 2 ? std::atoi(argv[2]) : 24;
  bool is_met = true;
  for (const auto& one : flarestack::bench::kCases)
    is_met = flarestack::bench::RunCase(one, time, senders, argc > 3 ? argv[3] : beside) && is_met;
  return is_met ? 0 : 4;
}
