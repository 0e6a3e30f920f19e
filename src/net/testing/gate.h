// SPDX-License-Identifier: Apache-2.0
//
// Lets a test block handlers and know that they have arrived, without a clock.
#pragma once

#include "base/mutex.h"

namespace flarestack::net {

class Gate {
 public:
  // Called by the handler: announces its arrival and waits.
  void Pass() {
    const base::MutexLock lock(mutex_);
    ++waiting_;
    changed_.NotifyAll();
    while (!is_open_)
      changed_.Wait(mutex_);
  }
  // Called by the test.
  void AwaitWaiting(int count) {
    const base::MutexLock lock(mutex_);
    while (waiting_ < count)
      changed_.Wait(mutex_);
  }
  void Open() {
    const base::MutexLock lock(mutex_);
    is_open_ = true;
    changed_.NotifyAll();
  }

 private:
  base::Mutex mutex_;
  base::CondVar changed_;
  int waiting_ FLARE_GUARDED_BY(mutex_) = 0;
  bool is_open_ FLARE_GUARDED_BY(mutex_) = false;
};

}  // namespace flarestack::net
