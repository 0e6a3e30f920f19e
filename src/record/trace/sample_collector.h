// SPDX-License-Identifier: Apache-2.0
//
// What was recorded since the last time it was taken: samples, added up where all but the time is
// the same. A wait counts from when it began; one that lasts on is told up to now, and the rest of
// it the next time.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "record/process/process_resource.h"
#include "record/process/processes.h"
#include "record/trace/stack_pool.h"
#include "record/trace/trace_assembler.h"

namespace flarestack::record::agent {

enum class SampleKind : uint8_t { kOnCpu, kSleep, kDisk, kLock, kRunQueue, kCounted };

// Whose samples. A resource stays the same object for as long as nothing about the process changes.
using Owner = std::shared_ptr<const ProcessResource>;

struct SampleKey {
  uint32_t owner = 0;  // in SampleWindow::owners
  SampleKind kind = SampleKind::kOnCpu;
  uint8_t event = 0;  // of kCounted, see Trace
  uint32_t tid = 0;
  std::string thread_name;
  std::string context;  // record of the thread
  StackPointer stack;

  friend bool operator==(const SampleKey&, const SampleKey&) = default;
  template <typename H>
  friend H AbslHashValue(H hash, const SampleKey& key) {
    return H::combine(std::move(hash), key.owner, key.kind, key.event, key.tid, key.thread_name,
                      key.context, key.stack.get());
  }
};

struct SampleTimes {
  std::vector<uint64_t> times_ns;      // CLOCK_MONOTONIC
  std::vector<uint64_t> durations_ns;  // of waits; empty on the processor
  std::vector<uint64_t> event_counts;  // of kCounted; empty else
};

struct SampleWindow {
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  std::vector<Owner> owners;
  absl::node_hash_map<SampleKey, SampleTimes> samples;
  uint64_t on_cpu_count = 0;
  uint64_t wait_count = 0;
  uint64_t bytes = 0;  // about what it takes
};

struct SampleLimits {
  uint64_t bytes_max = uint64_t{64} << 20;  // of a window; what does not fit is counted as lost
  size_t waits_max = 1 << 16;               // threads that wait at the same time
};

class SampleCollector final : public TraceVisitor {
 public:
  // All must outlive the collector.
  SampleCollector(Processes* processes, ProcessResources* resources, StackPool* stacks,
                  const SampleLimits& limits = {});

  void OnTrace(const Trace& trace) override;
  void OnWaitEnd(const WaitEnd& end) override;

  // Of a trace of this period or the last; any other is lost.
  void OnRepeat(const bpf::trace_repeat& repeat);
  void BeginPeriod();

  // All up to `now_ns`, and begins anew.
  SampleWindow Take(uint64_t now_ns);

  // Threads of this process wait no longer.
  void ForgetWaits(pid_t pid);

  // So much that it should be taken soon.
  bool is_filling() const { return window_.bytes >= limits_.bytes_max / 2; }
  uint64_t lost_count() const { return lost_count_; }
  uint64_t sample_count() const { return window_.on_cpu_count + window_.wait_count; }

 private:
  struct Wait {
    Owner owner;
    SampleKey key;  // its owner is set when it is counted
    uint64_t begin_ns = 0;
    uint64_t counted_until_ns = 0;  // up to here it was counted
    uint64_t end_ns_max = ~0;       // when it was seen to run
    uint32_t probability = 65536;
  };

  // The samples of a trace that may be repeated.
  struct Repeatable {
    SampleTimes* times = nullptr;  // in window_
    uint32_t tid = 0;
  };
  using Repeatables = absl::flat_hash_map<uint64_t, Repeatable>;  // by content

  const Repeatable* FindRepeatable(uint64_t content) const;
  void NoteRunning(uint32_t tid, uint64_t time_ns);
  bool TakeRoom(uint64_t bytes);
  uint32_t OwnerIndex(const Owner& owner);
  Owner OwnerOf(const Trace& trace);
  SampleTimes* TimesOf(SampleKey key, uint64_t bytes_of_time);
  void Count(const Wait& wait, SampleKind kind, uint64_t begin_ns, uint64_t end_ns);

  Processes& processes_;
  ProcessResources& resources_;
  StackPool& stacks_;
  const SampleLimits limits_;
  SampleWindow window_;
  absl::flat_hash_map<const ProcessResource*, uint32_t> owner_indices_;
  absl::flat_hash_map<uint32_t, Wait> waits_;  // by thread
  Repeatables repeatables_;
  Repeatables repeatables_before_;  // of the last period
  uint64_t lost_count_ = 0;
};

}  // namespace flarestack::record::agent
