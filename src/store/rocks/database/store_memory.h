// SPDX-License-Identifier: Apache-2.0
//
// The memory that the stores of a process share: caches and write buffers are used on demand, and
// memory that cannot be shared is split equally.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "store/rocks/database/database.h"

namespace flarestack::store {

class StoreMemory {
 public:
  StoreMemory(uint64_t bytes_max, uint32_t stores_max)
      : caches_(rocks::SharedMemory::Make(bytes_max / 2 - bytes_max / 16)),
        numbers_bytes_max_(bytes_max / 4),
        record_bytes_max_(bytes_max / 16),
        chunk_bytes_max_(bytes_max / 8),
        dictionary_bytes_max_(bytes_max / 8),
        stores_max_(std::max(stores_max, 1u)) {}

  const rocks::SharedMemory& caches() const { return caches_; }
  bool is_shared() const { return stores_max_ > 1; }
  uint32_t stores_max() const { return stores_max_; }

  // For each store that is open now.
  uint64_t numbers_bytes_max() const {
    // Relaxed: a store that still sees the old count adjusts its share with its next message.
    return numbers_bytes_max_ / std::max(open_stores_.load(std::memory_order_relaxed), 1u);
  }

  // Cache sizes of one store: dictionary records, sample chunks, and whole dictionaries of
  // responses.
  uint64_t record_bytes_max() const { return record_bytes_max_ / stores_max_; }
  uint64_t chunk_bytes_max() const { return chunk_bytes_max_ / stores_max_; }
  uint64_t dictionary_bytes_max() const { return dictionary_bytes_max_ / stores_max_; }

  // Number of tables that one store may keep open.
  int open_files_max() const {
    return std::clamp(static_cast<int>(kOpenFilesMax / stores_max_), kOpenFilesOfOneMin,
                      kOpenFilesOfOneMax);
  }

  void AddStore() { open_stores_.fetch_add(1, std::memory_order_relaxed); }
  void RemoveStore() { open_stores_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  static constexpr uint32_t kOpenFilesMax = 8192;
  static constexpr int kOpenFilesOfOneMin = 32;
  static constexpr int kOpenFilesOfOneMax = 512;

  const rocks::SharedMemory caches_;
  const uint64_t numbers_bytes_max_;
  const uint64_t record_bytes_max_;
  const uint64_t chunk_bytes_max_;
  const uint64_t dictionary_bytes_max_;
  const uint32_t stores_max_;
  std::atomic<uint32_t> open_stores_ = 0;
};

}  // namespace flarestack::store
