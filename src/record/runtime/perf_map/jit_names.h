// SPDX-License-Identifier: Apache-2.0
//
// Names the JIT-compiled code of one process, by the files that its compiler writes for perf: the
// jitdump, which has lines and times, or else the perf map.
//
// A perf map has no times. If code was replaced after a sample was taken and before it is looked
// up, the sample gets the new name.
//
// Not thread-safe.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "record/runtime/named_frame.h"
#include "record/runtime/perf_map/jit_dump_file.h"
#include "record/runtime/perf_map/perf_map_file.h"

namespace flarestack::record::runtime {

class JitNames {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `start_ns` as returned by agent::StartTime.
  JitNames(pid_t pid, uint64_t start_ns) : map_(pid, start_ns), dump_(pid, start_ns) {}

  struct Query {
    // Inside the instruction: for a caller, one less than the return address.
    uint64_t address = 0;
    uint64_t time_ns = 0;  // of the sample, on CLOCK_MONOTONIC
    Time now{};
  };

  // The address must be in memory that is executable, not of a file, and mapped at the time of the
  // sample. Reads what the process added to its files since, at most 20 times a second, and less
  // often while it has none.
  std::optional<NamedFrame> Find(const Query& query);

  size_t bytes() const { return map_.map().bytes() + dump_.dump().bytes(); }

 private:
  void Refresh(Time now);
  void RefreshDump(Time now);
  void RefreshMap(Time now);

  PerfMapFile map_;
  JitDumpFile dump_;
  uint64_t read_at_ns_ = 0;  // CLOCK_MONOTONIC
  Time next_read_{};
  Time next_map_{};
  std::chrono::milliseconds map_pause_{0};
  Time next_dump_{};
  std::chrono::milliseconds dump_pause_{0};
};

}  // namespace flarestack::record::runtime
