// SPDX-License-Identifier: Apache-2.0
//
// The signals that end the program, waited for instead of handled. Blocked before any thread
// starts, so that none of them takes one.
#pragma once

#include <pthread.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <initializer_list>

namespace flarestack::cli {

class StopSignals {
 public:
  // SIGINT and SIGTERM, and `more` of them.
  explicit StopSignals(std::initializer_list<int> more = {}) {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    for (const int signal : more)
      sigaddset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }
  int Wait() const {
    int signal = 0;
    sigwait(&signals_, &signal);
    return signal;
  }
  // Whether one came within that time; it is then taken.
  bool WaitFor(std::chrono::nanoseconds time) const {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
    const timespec limit = {.tv_sec = seconds.count(), .tv_nsec = (time - seconds).count()};
    int signal = -1;
    do {
      signal = sigtimedwait(&signals_, nullptr, &limit);
    } while (signal < 0 && errno == EINTR);
    return signal > 0;
  }
  // A second one ends the program at once.
  void Release() const { pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr); }

 private:
  sigset_t signals_ = {};
};

}  // namespace flarestack::cli
