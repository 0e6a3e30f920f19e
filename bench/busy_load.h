// SPDX-License-Identifier: Apache-2.0
//
// A load on all CPUs that measures the time it loses to interrupts. It sorts at the bottom of a
// recursion. Half of the time it polls the clock and adds up gaps as long as an interrupt takes.
#pragma once

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <random>
#include <vector>

namespace flarestack::bench {

inline int Processors() { return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)); }

__attribute__((noinline)) inline uint64_t SortSome(std::mt19937_64* random) {
  std::vector<uint64_t> numbers(3000);
  for (uint64_t& number : numbers)
    number = (*random)();
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

// Longer than reading the clock, and shorter than the time slice of another process.
inline constexpr uint64_t kGapNsMin = 800;
inline constexpr uint64_t kGapNsMax = 100'000;
inline constexpr uint64_t kWatchNs = 200'000;

// The time that one process of the load lost, per stretch of time.
struct LoadLog {
  static constexpr size_t kStretchesMax = 1 << 14;
  struct Stretch {
    uint64_t end_ns;
    uint64_t watched_ns;
    uint64_t gap_ns;
  };
  std::atomic<size_t> count{0};
  std::array<Stretch, kStretchesMax> stretches;
  Stretch current = {};  // used by the load only
};
inline constexpr uint64_t kStretchNs = 250'000'000;

inline uint64_t ClockNs() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

inline void Count(uint64_t now, uint64_t watched_ns, uint64_t gap_ns, LoadLog* log) {
  log->current.watched_ns += watched_ns;
  log->current.gap_ns += gap_ns;
  if (now < log->current.end_ns)
    return;
  if (const size_t at = log->count.load(); log->current.end_ns != 0 && at < log->kStretchesMax) {
    log->stretches[at] = log->current;
    log->count.store(at + 1);
  }
  log->current = {.end_ns = now + kStretchNs, .watched_ns = 0, .gap_ns = 0};
}

__attribute__((noinline)) inline void Watch(LoadLog* log) {
  const uint64_t begin = ClockNs();
  uint64_t last = begin;
  uint64_t lost = 0;    // in gaps as long as interrupts
  uint64_t absent = 0;  // in longer gaps
  while (last < begin + kWatchNs) {
    const uint64_t now = ClockNs();
    const uint64_t gap = now - last;
    if (gap > kGapNsMax)
      absent += gap;
    else if (gap > kGapNsMin)
      lost += gap;
    last = now;
  }
  Count(last, last - begin - absent, lost, log);
}

__attribute__((noinline)) inline uint64_t Descend(int depth, std::mt19937_64* random,
                                                  LoadLog* log) {
  if (depth == 0) {
    Watch(log);
    return SortSome(random);
  }
  const uint64_t below = Descend(depth - 1, random, log);
  asm volatile("" ::: "memory");  // prevents the compiler from turning this into a loop
  return below + static_cast<uint64_t>(depth);
}

class BusyLoad {
 public:
  BusyLoad() {
    const size_t bytes = sizeof(LoadLog) * static_cast<size_t>(Processors());
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    logs_ = static_cast<LoadLog*>(memory);
    for (int i = 0; i < Processors(); ++i) {
      LoadLog* const log = new (logs_ + i) LoadLog;
      const pid_t pid = fork();
      if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);  // even if the benchmark is interrupted
        std::mt19937_64 random(static_cast<uint64_t>(i));
        volatile uint64_t sink = 0;
        for (;;)
          sink = sink + Descend(20, &random, log);
      }
      pids_.push_back(pid);
    }
  }
  ~BusyLoad() {
    for (const pid_t pid : pids_) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
  }

  // The share of time that the load lost to interrupts since `begin_ns`. Other guests of the
  // machine come and go and only ever add time, so this is the lower quartile of all stretches.
  double GapShareSince(uint64_t begin_ns) const {
    std::vector<double> shares;
    for (const LoadLog* log = logs_; log < logs_ + Processors(); ++log) {
      for (size_t i = 0; i < log->count.load(); ++i) {
        const LoadLog::Stretch& stretch = log->stretches[i];
        if (stretch.end_ns >= begin_ns + 2 * kStretchNs)
          shares.push_back(static_cast<double>(stretch.gap_ns) /
                           std::max<double>(1, static_cast<double>(stretch.watched_ns)));
      }
    }
    if (shares.empty())
      return 0;
    std::nth_element(shares.begin(), shares.begin() + shares.size() / 4, shares.end());
    return shares[shares.size() / 4];
  }

 private:
  LoadLog* logs_;
  std::vector<pid_t> pids_;
};

}  // namespace flarestack::bench
