// SPDX-License-Identifier: Apache-2.0
//
// Speed of checking a message with all rules, from its bytes, next to plain decoding of the same
// bytes. Both take turns so that a noisy neighbour hits both. The budget for checking is 150 MB/s.
// Also measures files given as arguments.
//
// Then `flarestack check`, the program built with this one, on a message of half a million samples.
// If profcheck is available (see peers.h), it checks the same file in the same run, with and
// without the rules that it skips by default; we always run all of our rules.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>

#include "base/warnings.h"
#include "check/check.h"
#include "codec/otlp/layouts/protobuf_reader.h"
#include "codec/pprof/to_otlp.h"
#include "large_profile.h"
#include "peers.h"
#include "sample_messages.h"

namespace flarestack::bench {
namespace {

namespace otlp = codec::otlp;
using Clock = std::chrono::steady_clock;

constexpr double kBudgetMegabytesPerSecond = 150;
constexpr double kBudgetRatio = 10;  // compared with profcheck

uint64_t g_sink = 0;  // keeps results of the measured code alive

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
  std::printf("  check %6.0f MB/s  decode %6.0f MB/s  ratio %5.2f  (budget %.0f MB/s) %s\n", speed,
              megabytes / decode_seconds, check_seconds / decode_seconds, kBudgetMegabytesPerSecond,
              speed >= kBudgetMegabytesPerSecond ? "ok" : "MISSED");
  return speed >= kBudgetMegabytesPerSecond;
}

bool WriteLargeMessage(const std::string& path) {
  constexpr size_t kSamples = 500'000;
  constexpr uint32_t kLocations = 60'000;
  codec::pprof::Profile profile = LargeProfile(kSamples, kLocations);
  profile.time_nanos = int64_t{1'760'000'000} * 1'000'000'000;
  profile.duration_nanos = int64_t{10} * 1'000'000'000;
  base::Warnings warnings;
  const auto batch = codec::pprof::ToOtlp(profile, &warnings);
  if (!batch.ok())
    return false;
  codec::wire::ReverseWriter out(otlp::EstimateProtobufBytes(*batch));
  otlp::EncodeProtobuf(*batch, &out);
  auto file = base::OutputFile::Create(path);
  std::printf("%zu samples in %.1f MB, from start to end of the process\n", kSamples,
              static_cast<double>(out.size()) / 1e6);
  return file.ok() && file->Write(out.view()).ok() && file->Commit().ok();
}

void Print(const char* what, const Run& run) {
  std::printf("  %-34s %7.0f ms  %7.0f ms CPU time  peak memory %5.0f MB\n", what,
              run.seconds * 1e3, run.cpu_seconds * 1e3, run.peak_bytes / 1e6);
}

bool CompareOn(const std::string& path, const std::string& program) {
  constexpr int kTurns = 5;
  const std::string profcheck = FindProfcheck();
  std::vector<std::vector<std::string>> commands = {{program, "check", path}};
  if (!profcheck.empty()) {
    commands.push_back({profcheck, path});
    commands.push_back({profcheck, "-check-dupes", "-check-orphans", path});
  }
  const std::vector<Run> runs = RunInTurns(commands, kTurns);
  Print("flarestack check", runs[0]);
  if (profcheck.empty()) {
    std::printf("  profcheck is not installed; comparison skipped\n");
    return true;
  }
  Print("profcheck", runs[1]);
  Print("profcheck, all rules", runs[2]);
  const double ratio = runs[1].seconds / runs[0].seconds;
  const double ratio_of_all = runs[2].seconds / runs[0].seconds;
  const bool ok = ratio_of_all >= kBudgetRatio;
  std::printf("  we are %.1f times as fast, against all its rules %.1f times (budget %.0f) %s\n",
              ratio, ratio_of_all, kBudgetRatio, ok ? "ok" : "MISSED");
  return ok;
}

bool CompareWithProfcheck(const std::string& program) {
  if (access(program.c_str(), X_OK) != 0) {
    std::printf("%s not found; end-to-end measurement skipped\n", program.c_str());
    return true;
  }
  char folder[] = "/tmp/check_bench-XXXXXX";
  if (mkdtemp(folder) == nullptr)
    return false;
  const std::string path = std::string(folder) + "/large.otlp";
  const bool ok = WriteLargeMessage(path) && CompareOn(path, program);
  unlink(path.c_str());
  rmdir(folder);
  return ok;
}

}  // namespace
}  // namespace flarestack::bench

int main(int argc, char** argv) {
  const std::string self = argv[0];
  const std::string beside = self.substr(0, self.rfind('/') + 1) + "../flarestack";
  const int code = flarestack::bench::MeasureMessages(argc, argv, flarestack::bench::Measure);
  return flarestack::bench::CompareWithProfcheck(beside) ? code : 4;
}
