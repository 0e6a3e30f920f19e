// SPDX-License-Identifier: Apache-2.0
//
// The bytes that all stores of a process may take on disk. Somebody measures now and then; between
// two measurements whatever is written counts in full, although tables will be smaller. So a store
// never writes past the limit, and the estimate is corrected downwards.
//
// Thread-safe. Relaxed throughout: each number is a sum of its own, and the estimate may be off by
// the batch that is being written.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace flarestack::store {

class DiskQuota {
 public:
  explicit DiskQuota(uint64_t bytes_max) : bytes_max_(bytes_max) {}  // 0: no limit

  uint64_t bytes_max() const { return bytes_max_; }
  uint64_t used_bytes() const {
    return measured_.load(std::memory_order_relaxed) + written() -
           written_at_measurement_.load(std::memory_order_relaxed);
  }

  // Whether `bytes` more fit. Where they do not, remembers that somebody needs them.
  bool HasRoomFor(uint64_t bytes) {
    if (bytes_max_ == 0 || used_bytes() + bytes <= bytes_max_)
      return true;
    refused_bytes_.store(std::max(bytes, refused_bytes_.load(std::memory_order_relaxed)),
                         std::memory_order_relaxed);
    return false;
  }
  // The same for what can be left out: it leaves the last part of the disk to new data, and nothing
  // is remembered.
  bool CanSpare(uint64_t bytes) const {
    return bytes_max_ == 0 || used_bytes() + bytes <= bytes_max_ - bytes_max_ / 16;
  }
  // The largest write that was refused since the last call.
  uint64_t TakeRefusedBytes() { return refused_bytes_.exchange(0, std::memory_order_relaxed); }
  bool has_refused() const { return refused_bytes_.load(std::memory_order_relaxed) != 0; }

  uint64_t written() const { return written_.load(std::memory_order_relaxed); }
  void AddWritten(uint64_t bytes) { written_.fetch_add(bytes, std::memory_order_relaxed); }

  // `written_before` is written() from before the measurement: what came meanwhile may be missing
  // in it, and counts.
  void SetMeasured(uint64_t bytes, uint64_t written_before) {
    measured_.store(bytes, std::memory_order_relaxed);
    written_at_measurement_.store(written_before, std::memory_order_relaxed);
  }

 private:
  const uint64_t bytes_max_;
  std::atomic<uint64_t> measured_ = 0;
  std::atomic<uint64_t> written_ = 0;
  std::atomic<uint64_t> written_at_measurement_ = 0;
  std::atomic<uint64_t> refused_bytes_ = 0;
};

}  // namespace flarestack::store
