// SPDX-License-Identifier: Apache-2.0
//
// How fast a message is checked, with all rules, from its bytes; beside it the plain decoding of
// the same bytes, taking turns so that a noisy neighbour hits both. Checking owes 150 MB/s. Files
// given as arguments are measured too.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>

#include "check/check.h"
#include "codec/otlp/protobuf_reader.h"
#include "sample_messages.h"

namespace flarestack::bench {
namespace {

namespace otlp = codec::otlp;
using Clock = std::chrono::steady_clock;

constexpr double kOwedMegabytesPerSecond = 150;

uint64_t g_sink = 0;  // what the measured code computes ends here

double SecondsOf(const std::function<void()>& work, int repeats) {
  const auto start = Clock::now();
  for (int i = 0; i < repeats; ++i)
    work();
  return std::chrono::duration<double>(Clock::now() - start).count() / repeats;
}

// The best of several short turns: noise only ever adds time.
bool Measure(const std::string& name, const std::string& bytes) {
  constexpr int kTurns = 15;
  const int repeats = static_cast<int>(std::max<size_t>(1, (4u << 20) / bytes.size()));
  const auto check = [&] {
    const auto file = check::CheckBytes(bytes, {});
    if (!file.ok())
      std::abort();
    g_sink += file->report.count();
  };
  const otlp::Limits limits;
  model::Batch batch;
  const auto decode = [&] {
    if (!otlp::DecodeProtobuf(bytes, limits, &batch).ok())
      std::abort();
    g_sink += batch.samples.size();
  };
  double check_seconds = 1e9;
  double decode_seconds = 1e9;
  for (int turn = 0; turn < kTurns; ++turn) {
    check_seconds = std::min(check_seconds, SecondsOf(check, repeats));
    decode_seconds = std::min(decode_seconds, SecondsOf(decode, repeats));
  }
  const double megabytes = static_cast<double>(bytes.size()) / 1e6;
  const double speed = megabytes / check_seconds;
  const auto found = check::CheckBytes(bytes, {});
  std::printf("%s: %zu bytes, %llu findings\n", name.c_str(), bytes.size(),
              static_cast<unsigned long long>(found->report.count()));
  std::printf("  check %6.0f MB/s  decode %6.0f MB/s  ratio %5.2f  (owed %.0f MB/s) %s\n", speed,
              megabytes / decode_seconds, check_seconds / decode_seconds, kOwedMegabytesPerSecond,
              speed >= kOwedMegabytesPerSecond ? "ok" : "MISSED");
  return speed >= kOwedMegabytesPerSecond;
}

}  // namespace
}  // namespace flarestack::bench

int main(int argc, char** argv) {
  return flarestack::bench::MeasureMessages(argc, argv, flarestack::bench::Measure);
}
