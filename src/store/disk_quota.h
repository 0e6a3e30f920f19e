// SPDX-License-Identifier: Apache-2.0
//
// The number of bytes that all stores of a process may use on disk. Usage is measured periodically.
// Between two measurements every written byte counts twice, because it is in the log and soon in a
// table as well. So a store never writes past the limit, and each measurement corrects the estimate
// downwards.
//
//   limit  |--------------------------------------------|
//   writes |----------------------------------------|      rejected beyond: the rest is for
//                                                          compaction output
//   data   |----------------------------------|            hours are dropped beyond: the rest is
//                                                          also for the log and flushes
//
// Thread-safe. All accesses are relaxed: each number is independent, and the estimate may be off by
// the batch being written.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace flarestack::store {

class DiskQuota {
 public:
  explicit DiskQuota(uint64_t bytes_max) : bytes_max_(bytes_max) {}  // 0: no limit

  uint64_t bytes_max() const { return bytes_max_; }
  // RocksDB needs this fraction of a small limit (store/rocks/database/disk_shape.h), and a smaller
  // fraction of a large one.
  uint64_t write_bytes_max() const { return bytes_max_ - std::min(bytes_max_ / 10, kGiB); }
  uint64_t data_bytes_max() const { return bytes_max_ - std::min(bytes_max_ / 4, 2 * kGiB); }
  uint64_t used_bytes() const {
    return measured_.load(std::memory_order_relaxed) +
           2 * (written() - written_at_measurement_.load(std::memory_order_relaxed));
  }

  // Returns whether `bytes` more fit. If not, records the request for TakeRejectedBytes.
  bool HasRoomFor(uint64_t bytes) {
    if (bytes_max_ == 0 || used_bytes() + 2 * bytes <= write_bytes_max())
      return true;
    rejected_bytes_.store(std::max({bytes, rejected_bytes_.load(std::memory_order_relaxed), kByte}),
                          std::memory_order_relaxed);
    return false;
  }
  // The same for optional writes: keeps the last part of the disk free for new data, and does not
  // record a rejection.
  bool CanSpare(uint64_t bytes) const {
    return bytes_max_ == 0 || used_bytes() + 2 * bytes <= data_bytes_max();
  }
  // The largest write that was rejected since the last call.
  uint64_t TakeRejectedBytes() { return rejected_bytes_.exchange(0, std::memory_order_relaxed); }
  bool has_rejected() const { return rejected_bytes_.load(std::memory_order_relaxed) != 0; }

  uint64_t written() const { return written_.load(std::memory_order_relaxed); }
  void AddWritten(uint64_t bytes) { written_.fetch_add(bytes, std::memory_order_relaxed); }

  // `written_before` is written() from before the measurement. The measurement may miss bytes
  // written while it ran, so those still count.
  void SetMeasured(uint64_t bytes, uint64_t written_before) {
    measured_.store(bytes, std::memory_order_relaxed);
    written_at_measurement_.store(written_before, std::memory_order_relaxed);
  }

 private:
  static constexpr uint64_t kGiB = uint64_t{1} << 30;
  static constexpr uint64_t kByte = 1;

  const uint64_t bytes_max_;
  std::atomic<uint64_t> measured_ = 0;
  std::atomic<uint64_t> written_ = 0;
  std::atomic<uint64_t> written_at_measurement_ = 0;
  std::atomic<uint64_t> rejected_bytes_ = 0;
};

}  // namespace flarestack::store
