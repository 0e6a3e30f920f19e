// SPDX-License-Identifier: Apache-2.0
//
// Samples of a process of one's own and of all that it starts, where the kernel does not let us
// load programs: the kernel copies registers and stack with each sample, and our side walks them.
// It costs more, and has neither frames of the kernel nor waits.
//
// Not thread-safe.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/descriptor.h"
#include "record/agent/perf_ring.h"
#include "record/bpf/layout.h"

namespace flarestack::record::agent {

struct OwnSample {
  uint64_t time_ns = 0;  // CLOCK_MONOTONIC
  uint32_t pid = 0;
  uint32_t tid = 0;
  uint32_t cpu = 0;
  bpf::unwind_registers registers = {};
  std::string_view stack;  // from the stack pointer upwards
};

class OwnSampler {
 public:
  // On these processors, or on all where there are none. kPermissionDenied with what would help.
  static absl::StatusOr<std::unique_ptr<OwnSampler>> Open(pid_t process, uint32_t frequency_hz,
                                                          const std::vector<int>& processors);

  absl::Status Begin();

  // One for each processor, readable when there are samples.
  std::span<const int> fds() const { return fds_; }

  // The stack of a sample lives until the visitor returns.
  void Read(absl::FunctionRef<void(const OwnSample&)> visit);

  uint64_t sample_count() const { return sample_count_; }
  uint64_t lost_count() const { return lost_count_; }

 private:
  struct Processor {
    base::Descriptor event;
    PerfRing ring;
  };

  std::vector<Processor> processors_;
  std::vector<int> fds_;
  std::string bytes_;
  uint64_t sample_count_ = 0;
  uint64_t lost_count_ = 0;
};

// One PERF_RECORD_SAMPLE without its header, as we ask for it: pid and tid, time, processor, the
// registers of user space, and the stack. kInvalidArgument when it is cut short.
absl::StatusOr<OwnSample> DecodeOwnSample(std::string_view body);

}  // namespace flarestack::record::agent
