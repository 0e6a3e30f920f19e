// SPDX-License-Identifier: Apache-2.0
//
// What the profiler keeps for each thread. Signal handlers and allocation hooks read it, so it is
// zero-initialized, in static TLS (initial-exec), and has no constructor or destructor.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace flarestack::sdk {

struct ThreadContextRecord;

struct ThreadState {
  // Above 0 while the profiler itself runs on this thread: hooks then only forward.
  int inside = 0;
  bool is_registered = false;  // has a CPU timer of its own
  pid_t tid = 0;               // 0: not known yet
  // Of the allocation sampler. The first allocation of a thread draws its first distance.
  int64_t bytes_until_sample = 0;
  uint64_t random = 0;
  // The record that otel_thread_ctx_v1 points to while a span is active; kept until the thread
  // ends.
  ThreadContextRecord* context = nullptr;
};

extern thread_local constinit ThreadState t_thread __attribute__((tls_model("initial-exec")));

// Marks that the profiler runs on this thread.
class InsideScope {
 public:
  InsideScope() { ++t_thread.inside; }
  ~InsideScope() { --t_thread.inside; }
  InsideScope(const InsideScope&) = delete;
  InsideScope& operator=(const InsideScope&) = delete;
};

// The id of the calling thread, from the kernel once per thread. Async-signal-safe.
pid_t ThreadId();

// The child of a fork has one thread, with a new id and without its timer.
void ResetThreadAfterFork();

}  // namespace flarestack::sdk
