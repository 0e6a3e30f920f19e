// SPDX-License-Identifier: Apache-2.0
//
// The bytes that all stores of a process may take on disk. Somebody measures now and then; between
// two measurements whatever is written counts twice, because it is in the log and soon in a table
// as well. So a store never writes past the limit, and the estimate is corrected downwards.
//
//   limit  |--------------------------------------------|
//   writes |----------------------------------------|      are refused beyond: the rest is for the
//                                                          output of a compaction
//   data   |----------------------------------|            hours are dropped beyond: the rest is
//   for
//                                                          the log and for flushes, too
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
  // RocksDB needs these parts of a small limit (store/rocks/database/disk_shape.h), and less of a
  // large one.
  uint64_t write_bytes_max() const { return bytes_max_ - std::min(bytes_max_ / 10, kGiB); }
  uint64_t data_bytes_max() const { return bytes_max_ - std::min(bytes_max_ / 4, 2 * kGiB); }
  uint64_t used_bytes() const {
    return measured_.load(std::memory_order_relaxed) +
           2 * (written() - written_at_measurement_.load(std::memory_order_relaxed));
  }

  // Whether `bytes` more fit. Where they do not, remembers that somebody needs them.
  bool HasRoomFor(uint64_t bytes) {
    if (bytes_max_ == 0 || used_bytes() + 2 * bytes <= write_bytes_max())
      return true;
    refused_bytes_.store(std::max({bytes, refused_bytes_.load(std::memory_order_relaxed), kByte}),
                         std::memory_order_relaxed);
    return false;
  }
  // The same for what can be left out: it leaves the last part of the disk to new data, and nothing
  // is remembered.
  bool CanSpare(uint64_t bytes) const {
    return bytes_max_ == 0 || used_bytes() + 2 * bytes <= data_bytes_max();
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
  static constexpr uint64_t kGiB = uint64_t{1} << 30;
  static constexpr uint64_t kByte = 1;

  const uint64_t bytes_max_;
  std::atomic<uint64_t> measured_ = 0;
  std::atomic<uint64_t> written_ = 0;
  std::atomic<uint64_t> written_at_measurement_ = 0;
  std::atomic<uint64_t> refused_bytes_ = 0;
};

}  // namespace flarestack::store
