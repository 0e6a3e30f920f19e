// SPDX-License-Identifier: Apache-2.0
//
// The signals that end the program, waited for instead of handled. Blocked before any thread
// starts, so that none of them takes one.
#pragma once

#include <pthread.h>

#include <csignal>

namespace flarestack::cli {

class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
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
