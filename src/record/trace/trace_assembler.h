// SPDX-License-Identifier: Apache-2.0
//
// Assembles complete traces from the messages of the BPF programs. A trace arrives in several
// messages, interleaved with those of other CPUs. Stacks that BPF could not unwind completely,
// because it did not have the process or its tables yet, are unwound here.
//
// Not thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "record/bpf/layout.h"
#include "record/code/code_files.h"
#include "record/process/processes.h"
#include "record/runtime/naming/runtimes.h"
#include "record/trace/live_stacks.h"
#include "record/trace/own_sample.h"
#include "record/unwind/stack_walk.h"

namespace flarestack::record::agent {

// A thread's stack at one moment.
struct Trace {
  uint64_t time_ns = 0;        // CLOCK_MONOTONIC
  uint64_t start_time_ns = 0;  // of the process
  uint64_t cgroup_id = 0;
  uint64_t content = 0;  // identifies the trace in repeats; 0: never repeated
  uint32_t pid = 0;
  uint32_t tid = 0;
  uint32_t cpu = 0;
  uint32_t probability = 65536;  // off-CPU: chance of being recorded, in 1/65536
  bpf::trace_origin origin = bpf::ORIGIN_ON_CPU;
  bpf::wait_state wait = bpf::WAIT_PREEMPTED;
  uint8_t event = 0;         // for ORIGIN_COUNTED: index into ProfileTypes::counted
  uint32_t event_count = 0;  // for ORIGIN_COUNTED: number of events it stands for
  bpf::unwind_end end = bpf::UNWIND_COMPLETE;
  std::string comm;
  std::vector<uint64_t> kernel_frames;  // addresses, leaf first
  std::vector<uint64_t> user_frames;    // frame words (see layout.h), leaf first
  std::string context;                  // the thread's context record; empty if it has none
  std::string goroutine;                // the record of its goroutine; empty if it has none
};

// The end of a wait that began with an off-CPU trace.
struct WaitEnd {
  uint32_t tid = 0;
  uint64_t time_ns = 0;  // of the trace
  uint64_t wake_ns = 0;
  uint64_t run_ns = 0;
};

class TraceVisitor {
 public:
  virtual ~TraceVisitor() = default;
  virtual void OnTrace(const Trace& trace) = 0;
  virtual void OnWaitEnd(const WaitEnd& end) = 0;
};

class TraceAssembler {
 public:
  // All must outlive it. Without `runtimes`, which may be null, their frames have no names.
  TraceAssembler(Processes* processes, CodeFiles* files, runtime::Runtimes* runtimes,
                 TraceVisitor* visitor)
      : processes_(*processes), files_(*files), runtimes_(runtimes), visitor_(*visitor) {}

  // Adds a message sent by BPF. Malformed messages are counted and dropped.
  void Add(std::string_view message, Time now);

  // Adds a sample that the kernel copied and that is not unwound yet. `live`, which may be null,
  // walks the stacks of languages.
  void AddOwn(const OwnSample& sample, LiveStacks* live, Time now);

  // Returns whether Add() will unwind a stack and needs up-to-date processes.
  static bool NeedsEvents(std::string_view message);

  // Delivers traces that have waited too long for their other messages, as they are.
  void Flush(Time now);

  uint64_t walked_count() const { return walked_count_; }  // stacks unwound in user space
  uint64_t malformed_count() const { return malformed_count_; }

 private:
  struct Pending {
    Trace trace;
    uint8_t awaits = 0;  // enum bpf::trace_flag
    Time since;
  };

  void AddTrace(std::string_view message, Time now);
  void AddStack(std::string_view message, Time now);
  void AddContext(std::string_view message);
  void AddGoroutine(std::string_view message);
  void AddWaitEnd(std::string_view message, Time now);
  Pending* FindOrNull(const bpf::message_head& head);
  void HandOut(Trace* trace, Time now);
  void HandOutComplete(Time now);
  void WalkRest(Trace* trace, const bpf::unwind_registers& registers, unwind::Memory* stack,
                Time now);

  Processes& processes_;
  CodeFiles& files_;
  runtime::Runtimes* runtimes_;
  TraceVisitor& visitor_;
  std::deque<Pending> pending_;
  Trace trace_;  // scratch: most traces are delivered immediately, and its memory is reused
  uint64_t walked_count_ = 0;
  uint64_t malformed_count_ = 0;
};

}  // namespace flarestack::record::agent
