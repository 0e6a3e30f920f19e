// SPDX-License-Identifier: Apache-2.0
//
// Waits synchronously for the signals that end the program, in the thread that constructs this
// object. Threads started later do not receive them; signals delivered to earlier threads are
// forwarded. Only one instance may exist at a time.
#pragma once

#include <chrono>
#include <csignal>
#include <initializer_list>

namespace flarestack::cli {

class StopSignals {
 public:
  // SIGINT, SIGTERM, and `more`.
  StopSignals(std::initializer_list<int> more = {});

  int Wait() const;

  // Returns true if a signal arrived within that time, and consumes it.
  bool WaitFor(std::chrono::nanoseconds time) const;

  // From now on, a signal ends the program at once.
  void Release() const;

 private:
  void HandleBy(void (*handler)(int)) const;

  sigset_t signals_ = {};
};

// Treats SIGINT, SIGTERM and SIGHUP as a request to stop, for commands that save their data before
// they exit. SIGHUP stays ignored if it was, as under nohup. Only one instance may exist at a time.
class StopRequest {
 public:
  StopRequest();
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  // The signal received, or 0.
  int signal() const;

 private:
  struct sigaction interrupt_before_ = {};
  struct sigaction terminate_before_ = {};
  struct sigaction hang_up_before_ = {};
};

}  // namespace flarestack::cli
