// SPDX-License-Identifier: Apache-2.0
//
// Collects the samples recorded since the last Take, aggregated where everything except the time is
// equal. A wait counts from its beginning; one that is still in progress is reported up to now, and
// the rest of it next time.
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

// The process a sample belongs to. The resource stays the same object until something about the
// process changes.
using Owner = std::shared_ptr<const ProcessResource>;

struct SampleKey {
  uint32_t owner = 0;  // index into SampleWindow::owners
  SampleKind kind = SampleKind::kOnCpu;
  uint8_t event = 0;  // for kCounted, see Trace
  uint32_t tid = 0;
  std::string thread_name;
  std::string context;    // the thread's context record
  std::string goroutine;  // the record of its goroutine
  StackPointer stack;

  friend bool operator==(const SampleKey&, const SampleKey&) = default;
  template <typename H>
  friend H AbslHashValue(H hash, const SampleKey& key) {
    return H::combine(std::move(hash), key.owner, key.kind, key.event, key.tid, key.thread_name,
                      key.context, key.goroutine, key.stack.get());
  }
};

struct SampleTimes {
  std::vector<uint64_t> times_ns;      // CLOCK_MONOTONIC
  std::vector<uint64_t> durations_ns;  // of waits; empty for on-CPU samples
  std::vector<uint64_t> event_counts;  // only for kCounted
};

struct SampleWindow {
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  std::vector<Owner> owners;
  absl::node_hash_map<SampleKey, SampleTimes> samples;
  uint64_t on_cpu_count = 0;
  uint64_t wait_count = 0;
  uint64_t bytes = 0;  // estimated size
};

struct SampleLimits {
  // Per window; samples that do not fit are counted as lost.
  uint64_t bytes_max = uint64_t{64} << 20;
  size_t waits_max = 1 << 16;  // concurrently waiting threads
};

class SampleCollector final : public TraceVisitor {
 public:
  // All must outlive the collector.
  SampleCollector(Processes* processes, ProcessResources* resources, StackPool* stacks,
                  const SampleLimits& limits = {});

  void OnTrace(const Trace& trace) override;
  void OnWaitEnd(const WaitEnd& end) override;

  // Counts the repeat as lost if its trace is not of this period or the last.
  void OnRepeat(const bpf::trace_repeat& repeat);
  void BeginPeriod();

  // Returns everything up to `now_ns` and starts a new window.
  SampleWindow Take(uint64_t now_ns);

  // Drops the waits of an exited process.
  void ClearWaits(pid_t pid);

  // True if the window should be taken soon.
  bool is_filling() const { return window_.bytes >= limits_.bytes_max / 2; }
  uint64_t lost_count() const { return lost_count_; }
  uint64_t sample_count() const { return window_.on_cpu_count + window_.wait_count; }

 private:
  struct Wait {
    Owner owner;
    SampleKey key;  // its owner is set by Count
    uint64_t begin_ns = 0;
    uint64_t counted_until_ns = 0;
    uint64_t end_ns_max = ~0;  // when the thread was first seen running again
    uint32_t probability = 65536;
  };

  // The samples of a trace that may repeat.
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
