// SPDX-License-Identifier: Apache-2.0
//
// `flarestack convert` on a pprof of about 100 MB: speed, and peak memory against the decompressed
// size. The program is started for each run, because peak memory is a matter of the whole process.
//
//   convert_bench [PATH_OF_FLARESTACK]     default: the program built beside it
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "base/compress.h"
#include "base/file.h"
#include "codec/pprof/profile.h"
#include "codec/pprof/writer.h"
#include "large_profile.h"
#include "run_program.h"

namespace flarestack::bench {
namespace {

constexpr size_t kSamples = 1'000'000;
constexpr size_t kLocations = 60'000;
constexpr double kMemoryRatioMax = 4;  // for OTLP; the others are shown

// A million stacks, each its own, about 40 frames deep, two values and two labels: what a large
// service sends.
codec::pprof::Profile MakeProfile() {
  std::mt19937 random(1);
  const auto below = [&](uint32_t limit) { return Below(limit, &random); };
  codec::pprof::Profile profile = ProfileWithoutSamples(kLocations, &random);
  const std::vector<std::string_view> threads = {"worker-1", "worker-2", "worker-3", "main"};
  for (size_t i = 0; i < kSamples; ++i) {
    const uint32_t depth = 20 + below(30);
    codec::pprof::Sample sample;
    sample.locations = {.begin = static_cast<uint32_t>(profile.sample_locations.size()),
                        .count = depth};
    for (uint32_t k = 0; k < depth; ++k)
      profile.sample_locations.push_back(below(kLocations));
    sample.values = {.begin = static_cast<uint32_t>(profile.sample_values.size()), .count = 2};
    profile.sample_values.push_back(1 + below(5));
    profile.sample_values.push_back(int64_t{10'000'000} * (1 + below(5)));
    sample.labels = {.begin = static_cast<uint32_t>(profile.sample_labels.size()), .count = 1};
    profile.sample_labels.push_back({.key = "thread", .text = threads[below(4)]});
    profile.samples.push_back(sample);
  }
  return profile;
}

bool Measure(const std::string& program, const std::string& in, const std::string& out,
             size_t bytes) {
  const bool is_owed = out.ends_with(".otlp");
  const Run run = RunProgram({program, "convert", in, out});
  const double ratio = run.peak_bytes / static_cast<double>(bytes);
  const bool ok = run.code == 0 && (!is_owed || ratio <= kMemoryRatioMax);
  std::printf("  to %-14s %6.0f MB/s  peak memory %6.0f MB, %.2f of the decompressed size %s %s\n",
              out.substr(out.rfind('/') + 1).c_str(),
              static_cast<double>(bytes) / 1e6 / run.seconds, run.peak_bytes / 1e6, ratio,
              is_owed ? "(at most 4)" : "", ok ? "ok" : "MISSED");
  unlink(out.c_str());
  return ok;
}

int Main(const std::string& program) {
  char folder[] = "/tmp/convert_bench-XXXXXX";
  if (mkdtemp(folder) == nullptr)
    return 1;
  const std::string in = std::string(folder) + "/in.pb.gz";
  size_t bytes = 0;
  {
    const std::string encoded(codec::pprof::EncodeProfile(MakeProfile()).view());
    bytes = encoded.size();
    auto file = base::OutputFile::Create(in);
    if (!file.ok() || !file->Write(base::Gzip(encoded)).ok() || !file->Commit().ok())
      return 1;
  }
  std::printf("pprof of %.1f MB decompressed, %zu samples\n", static_cast<double>(bytes) / 1e6,
              kSamples);
  bool ok = true;
  for (const char* name : {"/out.otlp", "/out.pb.gz", "/out.folded"}) {
    ok = Measure(program, in, folder + std::string(name), bytes) && ok;
  }
  unlink(in.c_str());
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
