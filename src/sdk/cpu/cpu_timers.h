// SPDX-License-Identifier: Apache-2.0
//
// A timer on the CPU time of each thread. When it expires, the kernel sends the profiling signal to
// that thread, whose handler takes the sample. A tick that the thread could not handle in time is
// an overrun, and counts in the weight of the next sample.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace flarestack::sdk {

// Installs the handler on SIGPROF, or on a free real-time signal if the program handles SIGPROF.
// Returns the signal; 0 if none is free. Threads get timers by RegisterThread() and ScanThreads().
int StartCpuTimers(uint64_t period_ns);

// Deletes all timers. The handler stays, so that a signal on its way does no harm.
void StopCpuTimers();

// The calling thread gets a timer, or loses it before it ends.
void RegisterThread();
void UnregisterThread();

// Gives timers to threads that did not register, and deletes those of threads that ended. `own` is
// the profiler's thread, which has none. With `checks_reuse`, also looks whether the id of an ended
// thread belongs to another one by now, which costs a system call or three for each thread.
void ScanThreads(pid_t own, bool checks_reuse);

// The profiling signal; 0: none. Async-signal-safe.
int CpuSignal();

// The program takes the profiling signal for itself. Moves the timers to another signal.
// Returns false if none is free; the CPU profile ends then.
bool ReleaseCpuSignal();

// Around fork(). The child has no timers; its only thread registers again.
void LockTimersForFork();
void UnlockTimersInParent();
void UnlockTimersInChild();

}  // namespace flarestack::sdk
