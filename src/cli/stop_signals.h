// SPDX-License-Identifier: Apache-2.0
//
// The signals that end the program, waited for instead of handled. Blocked before any thread
// starts, so that none of them takes one.
#pragma once

#include <pthread.h>

#include <csignal>
#include <initializer_list>

namespace flarestack::cli {

class StopSignals {
 public:
  StopSignals() : StopSignals({SIGINT, SIGTERM}) {}
  explicit StopSignals(std::initializer_list<int> signals) {
    sigemptyset(&signals_);
    for (const int signal : signals)
      sigaddset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }
  int Wait() const {
    int signal = 0;
    sigwait(&signals_, &signal);
    return signal;
  }
  // A second one ends the program at once.
  void Release() const { pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr); }

 private:
  sigset_t signals_ = {};
};

}  // namespace flarestack::cli
