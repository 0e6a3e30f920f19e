// SPDX-License-Identifier: Apache-2.0
//
// What the in-process profiler costs the program that it profiles: CPU time of the same work with
// and without it, by turns in one run; and nanoseconds per change of the active span.
//
//   sdk_bench [PAIRS]   runs itself as `sdk_bench work NAME`, with libflarestack_preload.so
#include <zlib.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "judge.h"
#include "run_program.h"
#include "sdk/context/thread_context.h"

namespace flarestack::bench {
namespace {

uint64_t Next(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}

// Computes and allocates little.
int Compress() {
  uint64_t state = 1;
  std::string text(size_t{48} << 20, ' ');
  for (char& letter : text)
    letter = static_cast<char>('a' + Next(&state) % 8);
  std::vector<Bytef> packed(compressBound(text.size()));
  uLongf bytes = packed.size();
  return compress2(packed.data(), &bytes, reinterpret_cast<const Bytef*>(text.data()), text.size(),
                   6) == Z_OK
             ? 0
             : 1;
}

// Allocates all the time: small objects, strings that grow, some that live long.
int Parse() {
  uint64_t state = 1;
  size_t sum = 0;
  std::vector<std::map<std::string, std::string>> kept;
  for (int document = 0; document < 60'000; ++document) {
    std::map<std::string, std::string> fields;
    for (int i = 0; i < 100; ++i) {
      std::string value;
      for (uint64_t length = Next(&state) % 60; length > 0; --length)
        value += static_cast<char>('a' + length % 26);
      fields["field-number-" + std::to_string(Next(&state) % 150)] = std::move(value);
    }
    sum += fields.size();
    if (document % 500 == 0)
      kept.push_back(std::move(fields));
  }
  return sum == 0 ? 1 : 0;
}

struct Case {
  std::string name;
  std::string work;
  std::vector<std::string> environment;
  double budget = 0;  // of the slow-down
};

// The median of the ratios of neighbours: the machine is the same for both.
double Ratio(const std::string& self, const Case& one, int pairs) {
  const std::string library =
      (std::filesystem::path(self).parent_path().parent_path() / "libflarestack_preload.so")
          .string();
  std::vector<std::string> with = {"/usr/bin/env", "LD_PRELOAD=" + library,
                                   "OTEL_PROFILES_EXPORTER=file", "OTEL_PROFILING_FILE=/dev/null"};
  with.insert(with.end(), one.environment.begin(), one.environment.end());
  const std::vector<std::string> work = {self, "work", one.work};
  with.insert(with.end(), work.begin(), work.end());
  std::vector<double> ratios;
  for (int i = 0; i < pairs; ++i) {
    // Each goes first in every other pair.
    const double first = RunProgram(i % 2 == 0 ? work : with).cpu_seconds;
    const double second = RunProgram(i % 2 == 0 ? with : work).cpu_seconds;
    ratios.push_back(i % 2 == 0 ? second / first : first / second);
  }
  return Median(ratios);
}

double NanosecondsPerSpanChange() {
  constexpr int kChanges = 10'000'000;
  std::array<uint8_t, 16> trace = {1};
  std::array<uint8_t, 8> span = {1};
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kChanges; ++i) {
    span[1] = static_cast<uint8_t>(i);
    sdk::AttachSpan(trace.data(), span.data(), 1);
  }
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
  return took.count() / kChanges;
}

int Measure(const std::string& self, int pairs) {
  std::printf("slow-down of a program, in CPU time: medians of %d pairs\n", pairs);
  bool is_met = true;
  const std::vector<Case> cases = {
      {"off, compressing", "compress", {"OTEL_PROFILING_ENABLED=false"}, 0.005},
      {"off, parsing", "parse", {"OTEL_PROFILING_ENABLED=false"}, 0.01},
      {"cpu at 100 Hz, compressing", "compress", {"OTEL_PROFILING_TYPES=cpu"}, 0.005},
      {"cpu at 100 Hz, parsing", "parse", {"OTEL_PROFILING_TYPES=cpu"}, 0.005},
      {"alloc and live at 512 KiB, parsing", "parse", {"OTEL_PROFILING_TYPES=alloc,live"}, 0.01}};
  for (const Case& one : cases) {
    const double slow_down = Ratio(self, one, pairs) - 1;
    is_met &= Judge(one.name.c_str(), slow_down, one.budget);
  }
  is_met &= Judge("ns per change of the active span", NanosecondsPerSpanChange(), 10);
  return is_met ? 0 : 1;
}

}  // namespace
}  // namespace flarestack::bench

int main(int count, char** words) {
  using namespace flarestack::bench;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  if (count == 3 && std::string(words[1]) == "work")
    return std::string(words[2]) == "parse" ? Parse() : Compress();
  return Measure(self, count == 2 ? std::atoi(words[1]) : 15);
}
