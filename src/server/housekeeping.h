// SPDX-License-Identifier: Apache-2.0
//
// Keeps the store within its age and its place on the disk: what is older than the retention goes,
// and when the store outgrows its limit the oldest hours go first. Where that is not enough, new
// data is refused until there is room again.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "base/counters.h"
#include "store/store.h"

namespace flarestack::server {

struct HousekeepingOptions {
  std::string directory;         // whose file system must not become full
  uint64_t retention_nanos = 0;  // 0: for ever
  uint64_t disk_bytes_max = 0;   // 0: all there is
  uint64_t disk_free_bytes_min = 64 << 20;
  std::function<uint64_t()> now_nanos;
};

class Housekeeping {
 public:
  // Both must outlive this object.
  Housekeeping(store::Store* store, base::Counters* counters, HousekeepingOptions options);
  ~Housekeeping();

  // One round, as the thread does it every few seconds.
  absl::Status RunOnce();

  // kResourceExhausted while there is no room for more.
  absl::Status Admit() const;

 private:
  void Work();
  absl::Status DropOld(uint64_t now);
  absl::Status MakeRoom(uint64_t now);

  store::Store& store_;
  base::Counters& counters_;
  const HousekeepingOptions options_;
  std::atomic<bool> is_full_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace flarestack::server
