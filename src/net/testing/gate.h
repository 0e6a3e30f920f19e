// SPDX-License-Identifier: Apache-2.0
//
// Lets a test block handlers and know that they have arrived, without a clock.
#pragma once

#include <condition_variable>
#include <mutex>

namespace flarestack::net {

class Gate {
 public:
  // Called by the handler: announces its arrival and waits.
  void Pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return is_open_; });
  }
  // Called by the test.
  void AwaitWaiting(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ >= count; });
  }
  void Open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = 0;       // guarded by mutex_
  bool is_open_ = false;  // guarded by mutex_
};

}  // namespace flarestack::net
