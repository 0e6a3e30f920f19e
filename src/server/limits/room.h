// SPDX-License-Identifier: Apache-2.0
//
// Whether there is disk space for more data. Housekeeping updates it, and receivers check it.
#pragma once

#include <atomic>

#include "absl/status/status.h"

namespace flarestack::server {

class Room {
 public:
  // Returns kResourceExhausted if there is no room.
  absl::Status Admit() const {
    if (!is_full_.load(std::memory_order_relaxed))
      return absl::OkStatus();
    return absl::ResourceExhaustedError("the disk is full; retry later");
  }

  bool is_full() const { return is_full_.load(std::memory_order_relaxed); }

  // Relaxed: one request more or less makes no difference.
  void set_full(bool is_full) { is_full_.store(is_full, std::memory_order_relaxed); }

 private:
  std::atomic<bool> is_full_ = false;
};

}  // namespace flarestack::server
