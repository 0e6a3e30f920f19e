// SPDX-License-Identifier: Apache-2.0
//
// From debug information to a symbol table, and from addresses to lines: for the given program, or
// the largest of our own with DWARF. If installed, llvm-symbolizer and eu-addr2line get the same
// addresses. Budget: a table of at most a fifth of the DWARF, a look-up with its inlines in less
// than a microsecond, and ten times as many look-ups per second as the others.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "base/file/file.h"
#include "base/file/mapped_file.h"
#include "base/text/text.h"
#include "elf/elf_file.h"
#include "run_program.h"
#include "symbol/table/symbol_table.h"
#include "symbol/table/table_builder.h"

namespace flarestack::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kBudgetSizeRatio = 0.2;
constexpr double kBudgetNanos = 1'000;
constexpr double kBudgetTimes = 10;
constexpr size_t kOurLookUps = 1'000'000;
constexpr size_t kLlvmLookUps = 20'000;
constexpr size_t kEuLookUps = 300;  // each takes milliseconds

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

const char* Verdict(bool met) { return met ? "ok" : "MISSED"; }

bool HasDwarf(const std::string& path) {
  const auto file = base::MappedFile::Open(path);
  if (!file.ok())
    return false;
  const auto elf = elf::ElfFile::Parse(file->bytes());
  return elf.ok() && elf->FindSection(".debug_info") != nullptr;
}

std::string Candidate(int argc, char** argv) {
  if (argc > 1)
    return argv[1];
  std::string best;
  uint64_t best_bytes = 0;
  for (const char* path : {"/proc/self/exe", "build/dev/flarestack", "build/dev/e2e_test"}) {
    std::error_code error;
    const uint64_t bytes = std::filesystem::file_size(path, error);
    if (!error && bytes > best_bytes && HasDwarf(path)) {
      best = std::filesystem::canonical(path).string();
      best_bytes = bytes;
    }
  }
  return best;
}

struct BuildRun {
  double peak_bytes = 0;
  double debug_bytes = 0;
  bool ok = false;
};

// In a separate process, to measure its peak memory. Writes the table to a file.
BuildRun BuildInChild(const std::string& path, const std::string& table_path) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0)
    return {};
  const pid_t child = fork();
  if (child == 0) {
    const auto file = base::MappedFile::Open(path);
    const auto start = Clock::now();
    const auto built = symbol::BuildTable({.executable = file->bytes()});
    const double seconds = SecondsSince(start);
    if (!built.ok()) {
      std::fprintf(stderr, "%s\n", built.status().ToString().c_str());
      _exit(1);
    }
    const double debug_bytes = static_cast<double>(built->dwarf.debug_bytes);
    std::printf("build: %.2f s, %.0f MB of DWARF per second\n", seconds,
                debug_bytes / 1e6 / seconds);
    for (const std::string& note : built->notes)
      std::printf("  %s\n", note.c_str());
    std::ofstream(table_path, std::ios::binary) << built->bytes;
    std::fflush(stdout);
    const bool sent = write(pipe_ends[1], &debug_bytes, sizeof(debug_bytes)) > 0;
    _exit(sent ? 0 : 1);
  }
  close(pipe_ends[1]);
  BuildRun run;
  const bool received = read(pipe_ends[0], &run.debug_bytes, sizeof(double)) == sizeof(double);
  close(pipe_ends[0]);
  int status = 0;
  rusage usage = {};
  wait4(child, &status, 0, &usage);
  run.peak_bytes = static_cast<double>(usage.ru_maxrss) * 1024;
  run.ok = received && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return run;
}

std::vector<uint64_t> AddressesOf(const symbol::SymbolTable& table, size_t count) {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  table.VisitAll([&ranges](const symbol::CodeAt& code) {
    if (code.quality() == symbol::Quality::kDwarf)
      ranges.emplace_back(code.begin(), code.end());
  });
  std::mt19937_64 random(1);
  std::vector<uint64_t> addresses(ranges.empty() ? 0 : count);
  for (uint64_t& address : addresses) {
    const auto& [begin, end] = ranges[random() % ranges.size()];
    address = begin + random() % (end - begin);
  }
  return addresses;
}

// Nanoseconds per look-up, the best of three turns.
double MeasureLookUps(const symbol::SymbolTable& table, const std::vector<uint64_t>& addresses,
                      double* frames) {
  double best = 1e9;
  for (int turn = 0; turn < 3; ++turn) {
    uint64_t frame_count = 0;
    const auto start = Clock::now();
    table.FindAll(addresses, [&frame_count](size_t, const symbol::CodeAt& code) {
      frame_count += code.frames().size();
    });
    best = std::min(best, SecondsSince(start));
    *frames = static_cast<double>(frame_count) / static_cast<double>(addresses.size());
  }
  return best * 1e9 / static_cast<double>(addresses.size());
}

// `command` reads addresses from standard input. Its start-up time is measured with a single
// address and subtracted.
bool CompareWith(const std::string& name, const std::string& command,
                 const std::vector<uint64_t>& addresses, double our_nanos) {
  if (std::system(base::StrCat("command -v ", name, " >/dev/null 2>&1").c_str()) != 0) {
    std::printf("%s is not installed\n", name.c_str());
    return true;
  }
  const std::string path =
      (std::filesystem::temp_directory_path() / base::StrCat("addresses_", getpid())).string();
  const auto run = [&](size_t count) {
    std::ofstream file(path);
    for (size_t i = 0; i < count; ++i)
      file << base::Hex(addresses[i]) << "\n";
    file.close();
    return RunProgram({"sh", "-c", base::StrCat("exec ", command, " < ", path)});
  };
  const Run one = run(1);
  const Run all = run(addresses.size());
  std::filesystem::remove(path);
  const double nanos =
      std::max(0.0, all.seconds - one.seconds) * 1e9 / static_cast<double>(addresses.size() - 1);
  const double times = nanos / our_nanos;
  std::printf("%s: start %.2f s, then %.0f ns per look-up (%.0f per second), peak %.0f MB\n",
              name.c_str(), one.seconds, nanos, 1e9 / nanos, all.peak_bytes / 1e6);
  std::printf("  ours: %.1f times as many per second (budget %.0f) %s\n", times, kBudgetTimes,
              Verdict(times >= kBudgetTimes));
  return times >= kBudgetTimes;
}

bool Measure(const std::string& path) {
  const std::string table_path =
      (std::filesystem::temp_directory_path() / base::StrCat("table_", getpid(), ".fsym")).string();
  std::printf("%s, %.1f MB\n", path.c_str(),
              static_cast<double>(std::filesystem::file_size(path)) / 1e6);
  std::fflush(stdout);
  const BuildRun built = BuildInChild(path, table_path);
  if (!built.ok)
    return false;
  std::printf("  peak %.0f MB, including pages of the file\n", built.peak_bytes / 1e6);
  const auto start = Clock::now();
  const auto table = symbol::SymbolTable::OpenFile(table_path);
  const double open_seconds = SecondsSince(start);
  std::filesystem::remove(table_path);
  if (!table.ok())
    return false;
  const auto table_bytes = static_cast<double>(table->bytes().size());
  const double ratio = table_bytes / built.debug_bytes;
  std::printf("table: %.1f MB of %.1f MB of DWARF, %.4f (budget %.1f) %s; opened in %.0f us\n",
              table_bytes / 1e6, built.debug_bytes / 1e6, ratio, kBudgetSizeRatio,
              Verdict(ratio <= kBudgetSizeRatio), open_seconds * 1e6);
  std::vector<uint64_t> addresses = AddressesOf(*table, kOurLookUps);
  if (addresses.empty())
    return false;
  double frames = 0;
  const double nanos = MeasureLookUps(*table, addresses, &frames);
  std::printf("look-up: %.0f ns (budget %.0f) %s, %.1f frames each\n", nanos, kBudgetNanos,
              Verdict(nanos < kBudgetNanos), frames);
  std::vector<uint64_t> sorted = addresses;
  std::ranges::sort(sorted);
  std::printf("look-up in order of addresses: %.0f ns\n", MeasureLookUps(*table, sorted, &frames));
  const auto first = [&addresses](size_t count) {
    return std::vector<uint64_t>(addresses.begin(),
                                 addresses.begin() + static_cast<ptrdiff_t>(count));
  };
  const bool llvm = CompareWith(
      "llvm-symbolizer", base::StrCat("llvm-symbolizer --inlines --no-demangle --obj='", path, "'"),
      first(kLlvmLookUps), nanos);
  const bool eu = CompareWith("eu-addr2line", base::StrCat("eu-addr2line -i -f -e '", path, "'"),
                              first(kEuLookUps), nanos);
  return ratio <= kBudgetSizeRatio && nanos < kBudgetNanos && llvm && eu;
}

}  // namespace
}  // namespace flarestack::bench

int main(int argc, char** argv) {
  const std::string path = flarestack::bench::Candidate(argc, argv);
  if (path.empty()) {
    std::printf("no program with DWARF was found; give one as argument\n");
    return 0;
  }
  return flarestack::bench::Measure(path) ? 0 : 1;
}
