// SPDX-License-Identifier: Apache-2.0
//
// `flarestack convert` between pprof of about 100 MB and OTLP: speed, and peak memory relative to
// input and output. Starts the program for each run, because peak memory belongs to the whole
// process. If the Collector's translator is available (see peers.h), it converts the same files in
// the same run.
//
//   convert_bench [PATH_OF_FLARESTACK]     default: the program built with it
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/compress/compress.h"
#include "base/file/file.h"
#include "codec/pprof/message/writer.h"
#include "large_profile.h"
#include "peers.h"
#include "run_program.h"

namespace flarestack::bench {
namespace {

constexpr size_t kSamples = 1'000'000;
constexpr size_t kLocations = 60'000;
constexpr double kMemoryMax = 2;  // relative to input plus output, decompressed
constexpr double kTranslatorRatio = 5;

struct File {
  std::string path;
  double content_bytes = 0;  // decompressed
};

double SizeOf(const std::string& path) {
  struct stat about = {};
  return stat(path.c_str(), &about) == 0 ? static_cast<double>(about.st_size) : 0;
}

void Print(const std::string& what, const Run& run, const File& in) {
  std::printf("  %-28s %6.2f s %6.2f s CPU time %5.0f MB/s  peak memory %5.0f MB\n", what.c_str(),
              run.seconds, run.cpu_seconds, in.content_bytes / 1e6 / run.seconds,
              run.peak_bytes / 1e6);
}

// `memory_max` limits memory as a multiple of input plus output; 0: no limit.
bool Measure(const std::string& program, const File& in, const File& out, double memory_max) {
  constexpr int kTurns = 3;
  const auto name = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  const std::string translator = FindTranslator();
  const std::string other = out.path + ".other";
  std::vector<std::vector<std::string>> commands = {{program, "convert", in.path, out.path}};
  const bool has_peer = !translator.empty() && !out.path.ends_with(".folded");
  if (has_peer)
    commands.push_back({translator, in.path, other});
  const std::vector<Run> runs = RunInTurns(commands, kTurns);
  unlink(other.c_str());
  const std::string what = name(in.path) + " to " + name(out.path);
  Print(what, runs[0], in);
  bool ok = runs[0].code == 0;
  if (memory_max > 0) {
    const double ratio = runs[0].peak_bytes / (in.content_bytes + out.content_bytes);
    ok = ok && ratio <= memory_max;
    std::printf("    peak memory / (input + output) %.2f (at most %.1f) %s\n", ratio, memory_max,
                ratio <= memory_max ? "ok" : "MISSED");
  }
  if (!has_peer)
    return ok;
  Print("  the Collector's translator", runs[1], in);
  const double ratio = runs[1].seconds / runs[0].seconds;
  std::printf("    we are %.1f times as fast, with %.2f of the memory (budget %.0f times) %s\n",
              ratio, runs[0].peak_bytes / runs[1].peak_bytes, kTranslatorRatio,
              ratio >= kTranslatorRatio ? "ok" : "MISSED");
  return ok && ratio >= kTranslatorRatio;
}

int Main(const std::string& program) {
  char folder[] = "/tmp/convert_bench-XXXXXX";
  if (mkdtemp(folder) == nullptr)
    return 1;
  const auto in_folder = [&](const char* name) { return std::string(folder) + "/" + name; };
  File pprof = {.path = in_folder("in.pb.gz")};
  {
    const auto encoded = codec::pprof::EncodeProfile(LargeProfile(kSamples, kLocations));
    pprof.content_bytes = static_cast<double>(encoded.size());
    auto file = base::OutputFile::Create(pprof.path);
    if (!file.ok() || !file->Write(base::Gzip(encoded.view())).ok() || !file->Commit().ok())
      return 1;
  }
  std::printf("pprof of %.1f MB decompressed, %zu samples\n", pprof.content_bytes / 1e6, kSamples);
  if (FindTranslator().empty())
    std::printf("  the Collector's translator is not installed; comparison skipped\n");
  File otlp = {.path = in_folder("in.otlp")};
  if (RunProgram({program, "convert", pprof.path, otlp.path}).code != 0)
    return 1;
  otlp.content_bytes = SizeOf(otlp.path);
  bool ok = Measure(program, pprof, {in_folder("out.otlp"), otlp.content_bytes}, kMemoryMax);
  ok = Measure(program, otlp, {in_folder("out.pb.gz"), pprof.content_bytes}, kMemoryMax) && ok;
  ok = Measure(program, pprof, {in_folder("out.folded"), 0}, 0) && ok;
  for (const char* name : {"in.pb.gz", "in.otlp", "out.otlp", "out.pb.gz", "out.folded"})
    unlink(in_folder(name).c_str());
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
