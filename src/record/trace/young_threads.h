// SPDX-License-Identifier: Apache-2.0
//
// Samples of threads that end between two ticks of their clock.
//
// An inherited perf event starts over in each thread: it first fires when the thread has run for a
// whole period. Threads that end earlier are never sampled, and every other thread loses the time
// since its last sample. So a second event with a shorter period runs too. Its samples cover only
// the time after the last sample of the first event. We keep one of them per thread, chosen at
// random, and emit it when the thread ends, in proportion to the time it covers.
//
//   every 10 ms    |                   |                   |
//   every 1 ms     | | | | | | | | | | | | | | | | | | | | | | | |  thread ends
//                                                            `------ covered: 3 ms
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "record/trace/own_sample.h"

namespace flarestack::record::agent {

class YoungThreads {
 public:
  static constexpr size_t kThreadsMax = 4096;  // tracked at the same time

  struct Periods {
    uint64_t long_ns = 0;   // what each emitted sample counts for
    uint64_t short_ns = 0;  // less than long_ns
  };
  explicit YoungThreads(const Periods& periods) : periods_(periods) {}

  using Visitor = absl::FunctionRef<void(const OwnSample&)>;

  // A sample of the short period. Copies the stack.
  void OnShortTick(const OwnSample& sample);
  // A sample of the long period covers the thread up to here.
  void OnLongTick(uint32_t tid) { threads_.erase(tid); }
  void OnExit(uint32_t tid, Visitor visit);

  // Treats all threads as ended.
  void Finish(Visitor visit);

 private:
  struct Kept {
    OwnSample sample;
    std::string stack;
    uint64_t ticks = 0;
  };
  void Emit(const Kept& kept, Visitor visit);

  const Periods periods_;
  absl::flat_hash_map<uint32_t, Kept> threads_;
  uint64_t carry_ns_ = 0;  // covered but not emitted yet; less than a long period
  std::minstd_rand random_;
};

}  // namespace flarestack::record::agent
