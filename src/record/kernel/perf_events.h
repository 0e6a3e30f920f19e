// SPDX-License-Identifier: Apache-2.0
//
// The kernel's own news about processes, from one perf event per CPU that counts nothing: mappings
// with build ids, names, forks, ends, and code that the kernel gets.
//
//   FLARE_ASSIGN(auto perf_events, PerfEvents::Open({}));
//   poll(perf_events->fds() ...);
//   perf_events->Drain([&](const PerfEvent& event) { ... });
//
// CPUs that come online later are not listened to. Used by one thread at a time.
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
#include "base/descriptor.h"
#include "record/kernel/perf_event_record.h"
#include "record/kernel/perf_ring.h"

namespace flarestack::record::agent {

struct PerfEventsOptions {
  // All processes, which needs CAP_PERFMON; or one thread and all that it starts from now on, which
  // its owner may ask for up to kernel.perf_event_paranoid 2. Code of the kernel is told of in the
  // first case alone.
  pid_t pid = -1;
  size_t ring_bytes = 128 << 10;  // per CPU; a power of two and at least a page
  uint32_t wakeup_bytes = 1;      // a descriptor becomes readable when so many were written
};

class PerfEvents {
 public:
  // kPermissionDenied, kUnimplemented and others as the kernel answers.
  static absl::StatusOr<std::unique_ptr<PerfEvents>> Open(const PerfEventsOptions& options);

  // One per CPU, readable when there is news.
  std::span<const int> fds() const { return fds_; }

  // The texts of an event live until the visitor returns. OtherEvent is never handed out.
  using Visitor = absl::FunctionRef<void(const PerfEvent&)>;

  // Hands out what the kernel wrote until now, in the order of time across CPUs. Needs as much
  // memory as the rings have at most. While news arrives faster than it is read, some of it is left
  // for the next call.
  void Drain(Visitor visit);

  bool has_build_ids() const { return has_build_ids_; }
  uint64_t lost_count() const { return lost_count_; }            // by full rings
  uint64_t malformed_count() const { return malformed_count_; }  // records that made no sense

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
