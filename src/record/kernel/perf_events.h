// SPDX-License-Identifier: Apache-2.0
//
// Process events from the kernel, from one perf event per CPU that counts nothing: mappings with
// build ids, names, forks, exits, and new kernel code.
//
//   FLARE_ASSIGN(auto perf_events, PerfEvents::Open({}));
//   poll(perf_events->fds() ...);
//   perf_events->Drain([&](const PerfEvent& event) { ... });
//
// CPUs that come online later are ignored. Used by one thread at a time.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "base/file/descriptor.h"
#include "record/kernel/perf_event_record.h"
#include "record/kernel/perf_ring.h"

namespace flarestack::record::agent {

struct PerfEventsOptions {
  // -1: all processes, which needs CAP_PERFMON. Any other value: one thread and everything it
  // starts from now on, which its owner may request up to kernel.perf_event_paranoid 2. Kernel code
  // is reported only with -1.
  pid_t pid = -1;
  size_t ring_bytes = 128 << 10;  // per CPU; a power of two and at least a page
  uint32_t wakeup_bytes = 1;      // bytes written before a descriptor becomes readable
};

class PerfEvents {
 public:
  // Returns kPermissionDenied, kUnimplemented and others, according to the kernel's error.
  static absl::StatusOr<std::unique_ptr<PerfEvents>> Open(const PerfEventsOptions& options);

  // One per CPU, readable when there are events.
  std::span<const int> fds() const { return fds_; }

  // The strings of an event are valid until the visitor returns. OtherEvent is never delivered.
  using Visitor = absl::FunctionRef<void(const PerfEvent&)>;

  // Delivers all events written until now, in order of time across CPUs. Needs at most as much
  // memory as the ring buffers. If events arrive faster than they are read, some are left for the
  // next call.
  void Drain(Visitor visit);

  bool has_build_ids() const { return has_build_ids_; }
  uint64_t lost_count() const { return lost_count_; }  // because of full ring buffers
  // Records that could not be decoded.
  uint64_t malformed_count() const { return malformed_count_; }

 private:
  struct Cpu {
    base::Descriptor event;
    PerfRing ring;
  };
  struct PendingRecord {
    uint64_t time_ns = 0;
    size_t offset = 0;  // in bytes_
    size_t size_bytes = 0;
  };

  explicit PerfEvents(const PerfEventsOptions& options) : options_(options) {}

  absl::Status OpenCpu(int cpu);
  bool DrainOnce(Visitor visit);
  bool TakeRecords(PerfRing* ring, uint64_t head, uint64_t now_ns);
  void HandOut(const PendingRecord& record, Visitor visit);

  PerfEventsOptions options_;
  bool has_build_ids_ = true;
  std::vector<Cpu> cpus_;
  std::vector<int> fds_;
  uint64_t lost_count_ = 0;
  uint64_t malformed_count_ = 0;

  // Scratch of a drain.
  std::vector<uint64_t> heads_;
  std::string bytes_;
  std::vector<PendingRecord> pending_;
};

}  // namespace flarestack::record::agent
