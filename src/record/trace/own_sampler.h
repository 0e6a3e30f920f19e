// SPDX-License-Identifier: Apache-2.0
//
// Samples a child process and its descendants when the kernel does not let us load BPF programs:
// the kernel copies registers and stack with each sample, and user space unwinds them. This costs
// more and provides neither kernel frames nor waits. A second clock samples threads that end before
// their first tick (young_threads.h).
//
// Not thread-safe.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/file/descriptor.h"
#include "record/kernel/perf_ring.h"
#include "record/trace/own_sample.h"
#include "record/trace/young_threads.h"

namespace flarestack::record::agent {

class OwnSampler {
 public:
  struct Options {
    pid_t process = 0;
    uint32_t frequency_hz = 0;
    std::vector<int> processors;  // empty: all
    bool wakes_at_once = false;   // at each sample, and not only when many are unread
  };

  // Returns kPermissionDenied with a hint.
  static absl::StatusOr<std::unique_ptr<OwnSampler>> Open(const Options& options);

  absl::Status Begin();

  // One per CPU, readable when there are samples.
  std::span<const int> fds() const { return fds_; }

  // The stack of a sample is valid until the visitor returns.
  using Visitor = absl::FunctionRef<void(const OwnSample&)>;
  void Read(Visitor visit);

  // Emits what young_threads.h keeps of threads that still run. Call once, after the last Read.
  void Finish(Visitor visit);

  uint64_t sample_count() const { return sample_count_; }
  uint64_t lost_count() const;  // in samples of the first clock

  // CPU time of all threads so far, sampled or not, kernel included.
  uint64_t ReadTime() const;

  // Threads that run for less than this are not sampled. 0 when the sampling frequency is high
  // enough to do without the second clock.
  uint64_t short_period_ns() const { return short_period_ns_; }

 private:
  struct Processor {
    base::Descriptor event;
    base::Descriptor short_event;  // writes to the same ring buffer; closed if not needed
    uint64_t short_id = 0;
    PerfRing ring;
  };

  absl::Status OpenProcessor(const Options& options, int number);
  void ReadRecord(const Processor& processor, std::string_view record, Visitor visit);

  uint64_t period_ns_ = 0;
  uint64_t short_period_ns_ = 0;
  std::optional<YoungThreads> young_;
  std::vector<Processor> processors_;
  std::vector<int> fds_;
  std::string bytes_;
  uint64_t sample_count_ = 0;
  uint64_t lost_count_ = 0;
  uint64_t short_lost_count_ = 0;  // of the second clock
};

}  // namespace flarestack::record::agent
