// SPDX-License-Identifier: Apache-2.0
//
// Sends profiles of a fleet over OTLP/gRPC to a server in a separate process, which writes each
// request to disk before it responds. Speed is per second of the server's CPU time, because the
// senders share the machine. The speed of decoding alone, in the same run, is the upper bound.
//
// The first minute is of a fleet unknown to the server, the next ones of the same fleet. At the end
// come hosts with a separate release each: no string, function or stack of a message was sent
// before, as after a roll-out.
//
//   ingest_bench [MINUTES] [PATH_OF_FLARESTACK]     default: 3, the program built with it
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <thread>

#include "base/clock.h"
#include "base/text/text.h"
#include "codec/otlp/layouts/protobuf_reader.h"
#include "codec/otlp/profiles/protobuf_writer.h"
#include "fleet.h"
#include "model/signal.h"
#include "model/validation/validate.h"
#include "net/grpc/grpc_client.h"
#include "server.h"
#include "server/ingest/otlp_grpc.h"

namespace flarestack::bench {
namespace {

// Megabytes per core-second.
constexpr double kTargetKnown = 300;
constexpr double kTargetNew = 60;
constexpr int kNewHosts = 200;
constexpr int kSenders = 16;
constexpr int kMemoryLimit = 1024;  // MiB

double ThreadSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

struct Messages {
  std::vector<std::string> bytes;
  double megabytes = 0;
  double events = 0;
};

void Add(const model::Batch& batch, Messages* messages) {
  codec::wire::ReverseWriter out(codec::otlp::EstimateProtobufBytes(batch));
  codec::otlp::EncodeProtobuf(batch, &out);
  messages->bytes.emplace_back(out.view());
  messages->megabytes += static_cast<double>(messages->bytes.back().size()) / 1e6;
  messages->events += static_cast<double>(batch.timestamps.size());
}

Messages MakeMinute(Fleet* fleet, uint64_t start) {
  Messages messages;
  for (int host = 0; host < FleetShape().hosts; ++host)
    Add(fleet->Message(host, start), &messages);
  return messages;
}

Messages MakeNewReleases(uint64_t start) {
  Messages messages;
  for (int host = 0; host < kNewHosts; ++host) {
    Fleet fleet(static_cast<uint32_t>(host + 2),
                {.services = FleetShape().services_per_host, .release = base::StrCat(".r", host)});
    Add(fleet.Message(host, start), &messages);
  }
  return messages;
}

// Megabytes per core-second.
double DecodeSpeed(const Messages& messages) {
  model::Batch batch;
  const double start = ThreadSeconds();
  for (const std::string& bytes : messages.bytes) {
    if (!codec::otlp::DecodeProtobuf(bytes, {}, &batch).ok() || !model::ValidateIndices(batch).ok())
      std::abort();
  }
  return messages.megabytes / (ThreadSeconds() - start);
}

struct Sent {
  std::vector<double> milliseconds;  // of each response, sorted
  double seconds = 0;
  int rejected = 0;
};

Sent SendAll(const Messages& messages, const std::string& target) {
  std::atomic<size_t> next = 0;
  std::atomic<int> rejected = 0;
  Sent sent;
  sent.milliseconds.resize(messages.bytes.size());
  const std::string method(server::OtlpGrpcMethod(model::Signal::kProfiles));
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> senders;
  for (int i = 0; i < kSenders; ++i) {
    senders.emplace_back([&] {
      auto client = net::GrpcClient::Create({.target = target});
      for (size_t m = next++; m < messages.bytes.size(); m = next++) {
        const auto before = std::chrono::steady_clock::now();
        if ((*client)->Call(method, messages.bytes[m]).code != absl::StatusCode::kOk)
          ++rejected;
        sent.milliseconds[m] =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - before)
                .count();
      }
    });
  }
  for (std::thread& sender : senders)
    sender.join();
  sent.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  sent.rejected = rejected;
  std::ranges::sort(sent.milliseconds);
  return sent;
}

// Sends all messages, prints the results, and returns the speed; 0 if a message was rejected.
double Measure(const std::string& title, const Messages& messages, double target, Server* server) {
  const double decode_speed = DecodeSpeed(messages);
  const double cpu = server->CpuSeconds();
  const Sent sent = SendAll(messages, server->otlp_grpc());
  const double speed = messages.megabytes / (server->CpuSeconds() - cpu);
  const auto percentile = [&](double share) {
    return sent
        .milliseconds[static_cast<size_t>(share * static_cast<double>(messages.bytes.size() - 1))];
  };
  std::printf("%s: %.0f MB, %.0f events, %.0f requests, %d rejected\n", title.c_str(),
              messages.megabytes, messages.events, static_cast<double>(messages.bytes.size()),
              sent.rejected);
  std::printf("  %7.1f MB/s per core of the server", speed);
  if (target > 0)
    std::printf(" (target %.0f, %.2f of it) %s", target, speed / target,
                speed >= target ? "ok" : "MISSED");
  std::printf("; %.1f MB/s in total\n", messages.megabytes / sent.seconds);
  std::printf("  %7.1f MB/s per core for decoding and checking only; %.2f of that reached\n",
              decode_speed, speed / decode_speed);
  std::printf("  responses after %.1f ms (median), %.1f ms (99 %%), %.1f ms (longest)\n",
              percentile(0.5), percentile(0.99), percentile(1));
  return sent.rejected == 0 ? speed : 0;
}

int Run(int minutes, const std::string& program) {
  std::string directory = std::filesystem::temp_directory_path().string() + "/ingest_XXXXXX";
  if (mkdtemp(directory.data()) == nullptr)
    return 1;
  Server server(program, directory,
                {"--durability", "fsync", "--memory-limit", std::to_string(kMemoryLimit) + "MiB"});
  if (!server.is_running()) {
    std::fprintf(stderr, "cannot start %s\n", program.c_str());
    return 1;
  }
  Fleet fleet(1, {});
  const uint64_t start = base::NowNanos() / Fleet::kMinute * Fleet::kMinute -
                         static_cast<uint64_t>(minutes) * Fleet::kMinute;
  std::printf("%d hosts, %d senders, an fsync before each response\n", FleetShape().hosts,
              kSenders);
  bool is_met = true;
  double known_speed = 0;
  for (int minute = 0; minute < minutes; ++minute) {
    const Messages messages =
        MakeMinute(&fleet, start + static_cast<uint64_t>(minute) * Fleet::kMinute);
    const bool is_known = minute > 0;
    known_speed = Measure(base::StrCat("minute ", minute + 1,
                                       is_known ? " (dictionaries known)" : " (nothing known)"),
                          messages, is_known ? kTargetKnown : 0, &server);
    is_met = is_met && known_speed >= (is_known ? kTargetKnown : 1);
  }
  const double new_speed =
      Measure("new symbols in each message", MakeNewReleases(start), kTargetNew, &server);
  std::printf("  known symbols are ingested %.1f times as fast\n", known_speed / new_speed);
  is_met = is_met && new_speed >= kTargetNew;
  const double peak = server.PeakBytes() / (1 << 20);
  std::printf("peak memory %.0f MiB (limit %d) %s\n", peak, kMemoryLimit,
              peak <= kMemoryLimit ? "ok" : "MISSED");
  server.Stop();
  std::filesystem::remove_all(directory);
  return is_met && peak <= kMemoryLimit ? 0 : 4;
}

}  // namespace
}  // namespace flarestack::bench

int main(int argc, char** argv) {
  const std::string beside =
      (std::filesystem::path(argv[0]).parent_path().parent_path() / "flarestack").string();
  return flarestack::bench::Run(argc > 1 ? std::atoi(argv[1]) : 3, argc > 2 ? argv[2] : beside);
}
