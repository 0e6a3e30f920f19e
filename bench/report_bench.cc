// SPDX-License-Identifier: Apache-2.0
//
// `flarestack top` and `tree` over ten pprof files of about 100 MB each. Memory must depend on the
// number of distinct stacks: ten files may need hardly more than one. If Go is installed, `go tool
// pprof -top` reads one of the files in the same run. The budget for reading is 150 MB/s of
// decompressed pprof, even if all of 1.3 million stacks differ.
//
//   report_bench [PATH_OF_FLARESTACK]     default: the program built with it
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "base/compress/compress.h"
#include "base/file/file.h"
#include "codec/pprof/message/profile.h"
#include "codec/pprof/message/writer.h"
#include "large_profile.h"
#include "peers.h"
#include "run_program.h"

namespace flarestack::bench {
namespace {

constexpr size_t kSamples = 1'000'000;
constexpr uint32_t kStacks = 40'000;
constexpr size_t kDistinctStacks = 1'300'000;
constexpr uint32_t kLocations = 20'000;
constexpr int kFiles = 10;
constexpr double kMemoryGrowthMax = 1.2;
constexpr double kPprofRatio = 10;
constexpr double kTopMegabytesPerSecond = 150;
constexpr int kTurns = 3;

// A million samples of forty thousand stacks, distinguished by a label that few reports need.
codec::pprof::Profile MakeProfile() {
  std::mt19937 random(1);
  const auto below = [&](uint32_t limit) { return Below(limit, &random); };
  codec::pprof::Profile profile = ProfileWithoutSamples(kLocations, &random);
  std::vector<std::vector<uint32_t>> stacks(kStacks);
  for (std::vector<uint32_t>& stack : stacks) {
    for (uint32_t depth = 20 + below(30); depth > 0; --depth)
      stack.push_back(below(kLocations));
  }
  for (size_t i = 0; i < kSamples; ++i) {
    const std::vector<uint32_t>& stack = stacks[i % kStacks];
    codec::pprof::Sample sample;
    sample.locations = {.begin = static_cast<uint32_t>(profile.sample_locations.size()),
                        .count = static_cast<uint32_t>(stack.size())};
    profile.sample_locations.insert(profile.sample_locations.end(), stack.begin(), stack.end());
    sample.values = {.begin = static_cast<uint32_t>(profile.sample_values.size()), .count = 2};
    const int64_t count = 1 + below(5);
    profile.sample_values.push_back(count);
    profile.sample_values.push_back(count * 10'000'000);
    sample.labels = {.begin = static_cast<uint32_t>(profile.sample_labels.size()), .count = 1};
    profile.sample_labels.push_back(
        {.key = "request", .is_number = true, .number = static_cast<int64_t>(i / kStacks)});
    profile.samples.push_back(sample);
  }
  return profile;
}

void Print(const char* what, const Run& run, double bytes) {
  std::printf("  %-34s %6.1f s %6.0f MB/s  peak memory %5.0f MB\n", what, run.seconds,
              bytes / 1e6 / run.seconds, run.peak_bytes / 1e6);
}

// The size before compression; 0 if writing fails.
double WriteProfile(const codec::pprof::Profile& profile, const std::string& path) {
  const auto encoded = codec::pprof::EncodeProfile(profile);
  auto file = base::OutputFile::Create(path);
  const bool ok = file.ok() && file->Write(base::Gzip(encoded.view())).ok() && file->Commit().ok();
  return ok ? static_cast<double>(encoded.size()) : 0;
}

bool MeasureSpeed(const char* what, const std::string& program, const std::string& path,
                  double bytes) {
  const Run run = RunInTurns({{program, "top", path}}, kTurns)[0];
  Print(what, run, bytes);
  const double speed = bytes / 1e6 / run.seconds;
  std::printf("    %.0f MB/s (budget %.0f) %s\n", speed, kTopMegabytesPerSecond,
              speed >= kTopMegabytesPerSecond ? "ok" : "MISSED");
  return run.code == 0 && speed >= kTopMegabytesPerSecond;
}

int Main(const std::string& program) {
  char folder[] = "/tmp/report_bench-XXXXXX";
  if (mkdtemp(folder) == nullptr)
    return 1;
  const std::string path = std::string(folder) + "/in.pb.gz";
  const double bytes = WriteProfile(MakeProfile(), path);
  const std::string distinct_path = std::string(folder) + "/distinct.pb.gz";
  const double distinct_bytes =
      WriteProfile(LargeProfile(kDistinctStacks, kLocations), distinct_path);
  if (bytes == 0 || distinct_bytes == 0)
    return 1;
  std::printf("pprof of %.0f MB decompressed, %zu samples of %u stacks\n", bytes / 1e6, kSamples,
              kStacks);
  const Run one = RunProgram({program, "top", path});
  Print("top of one file", one, bytes);
  std::vector<std::string> many = {program, "top"};
  many.insert(many.end(), kFiles, path);
  const Run ten = RunProgram(many);
  Print("top of ten files", ten, bytes * kFiles);
  many[1] = "tree";
  const Run tree = RunProgram(many);
  Print("tree of ten files", tree, bytes * kFiles);
  const double growth = ten.peak_bytes / one.peak_bytes;
  bool ok = MeasureSpeed("top, a million samples", program, path, bytes);
  ok = MeasureSpeed("top, all stacks distinct", program, distinct_path, distinct_bytes) && ok;
  ok = ok && one.code == 0 && ten.code == 0 && tree.code == 0 && growth <= kMemoryGrowthMax;
  std::printf("  memory of ten files / of one %.2f (at most %.1f) %s\n", growth, kMemoryGrowthMax,
              growth <= kMemoryGrowthMax ? "ok" : "MISSED");
  const Run peer = RunProgram({"go", "tool", "pprof", "-top", "-symbolize=none", path});
  if (peer.code == 0) {
    Print("go tool pprof -top of one file", peer, bytes);
    const double ratio = peer.seconds / one.seconds;
    std::printf("  top is %.1f times as fast (budget %.0f) %s\n", ratio, kPprofRatio,
                ratio >= kPprofRatio ? "ok" : "MISSED");
    ok = ok && ratio >= kPprofRatio;
  } else {
    std::printf("  go tool pprof is not installed; comparison skipped\n");
  }
  unlink(path.c_str());
  unlink(distinct_path.c_str());
  rmdir(folder);
  return ok ? 0 : 4;
}

}  // namespace
}  // namespace flarestack::bench

int main(int argc, char** argv) {
  const std::string self = argv[0];
  const std::string beside = self.substr(0, self.rfind('/') + 1) + "../flarestack";
  return flarestack::bench::Main(argc > 1 ? argv[1] : beside);
}
