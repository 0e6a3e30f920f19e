// SPDX-License-Identifier: Apache-2.0
//
// Stops a running thread of a child process for a moment, so that its registers and its memory
// belong together. Uses ptrace, without any option that would change how the thread runs: signals
// that arrive during the stop are delivered, a thread stopped by SIGSTOP stays stopped, and system
// calls that the stop interrupts are restarted.
//
//   ThreadStopper stopper(child);
//   const absl::Status status = stopper.Stop({.pid = pid, .tid = tid}, [&](const ThreadState&
//   thread) {
//     ...   // the thread does not run
//   });
//   stopper.ReleaseLate();   // periodically
//
// Used by one thread, which is the tracer. Until ReleaseLate has released a thread, waitpid of its
// parent can report a stop.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "record/bpf/layout.h"

namespace flarestack::record::agent {

struct ThreadId {
  pid_t pid = 0;
  pid_t tid = 0;
};

struct ThreadState {
  bpf::unwind_registers registers = {};
  uint64_t thread_pointer = 0;
  bool has_waited = false;  // it was in a system call that the stop interrupted
};

class ThreadStopper {
 public:
  struct Options {
    // How long Stop waits. A thread that gets no CPU stops later; it then runs on at once.
    std::chrono::nanoseconds wait_max = std::chrono::milliseconds(5);
    std::chrono::nanoseconds last_wait_max = std::chrono::seconds(1);  // of the destructor
  };

  // The exit status of `child` is for its parent, the caller. 0: there is no such child.
  explicit ThreadStopper(pid_t child) : ThreadStopper(child, Options()) {}
  ThreadStopper(pid_t child, const Options& options) : child_(child), options_(options) {}
  ThreadStopper(const ThreadStopper&) = delete;
  ThreadStopper& operator=(const ThreadStopper&) = delete;
  ~ThreadStopper();

  using Visitor = absl::FunctionRef<void(const ThreadState&)>;

  // Visits a thread while it is stopped. Otherwise returns kPermissionDenied, also if another
  // program traces it, kNotFound if it is gone, kFailedPrecondition if it sleeps, kUnimplemented
  // for a 32-bit program, kDeadlineExceeded if it does not stop soon enough.
  absl::Status Stop(const ThreadId& thread, Visitor visit);

  // The same for a thread that may sleep. It is woken, and sleeps again.
  absl::Status StopAny(const ThreadId& thread, Visitor visit);

  // Releases threads that stopped too late.
  void ReleaseLate();
  bool has_late() const { return !late_.empty(); }

 private:
  struct StopReason {
    int event = 0;
    int signal = 0;
  };
  enum class Found { kRunning, kStopped, kGone };

  Found Look(ThreadId* thread, StopReason* reason) const;
  Found LookAfterExec(ThreadId* thread) const;
  Found WaitForStop(ThreadId* thread, StopReason* reason) const;
  void Release(const ThreadId& thread, const StopReason& reason);

  const pid_t child_;
  const Options options_;
  std::vector<ThreadId> late_;  // traced, and asked to stop
};

}  // namespace flarestack::record::agent
