// SPDX-License-Identifier: Apache-2.0
//
// The signals that end the program, waited for instead of handled, by the thread that made this.
// Threads that start later do not take them; what a thread that was there before takes is handed
// on. Only one of these may live at a time.
#pragma once

#include <chrono>
#include <csignal>
#include <initializer_list>

namespace flarestack::cli {

class StopSignals {
 public:
  // SIGINT and SIGTERM, and `more` of them.
  explicit StopSignals(std::initializer_list<int> more = {});

  int Wait() const;

  // Whether one came within that time; it is then taken.
  bool WaitFor(std::chrono::nanoseconds time) const;

  // A second one ends the program at once.
  void Release() const;

 private:
  void HandleBy(void (*handler)(int)) const;

  sigset_t signals_ = {};
};

}  // namespace flarestack::cli
