// SPDX-License-Identifier: Apache-2.0
//
// Entries of the dictionary that were read lately. A question that was asked a moment ago needs the
// same stacks and names again, and RocksDB takes microseconds for each of tens of thousands.
//
// An entry never changes, so nothing is ever taken back. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "base/hash.h"

namespace flarestack::store::rocks {

class RecordCache {
 public:
  explicit RecordCache(uint64_t bytes_max) : part_bytes_max_(bytes_max / kParts) {}

  // False where it is not known.
  bool Find(uint64_t key, std::string* record) {
    Part& part = PartOf(key);
    const std::lock_guard lock(part.mutex);
    if (const auto at = part.young.find(key); at != part.young.end()) {
      *record = at->second;
      return true;
    }
    const auto at = part.old.find(key);
    if (at == part.old.end())
      return false;
    *record = at->second;
    part.Add(key, std::move(at->second), part_bytes_max_);
    return true;
  }

  void Add(uint64_t key, const std::string& record) {
    Part& part = PartOf(key);
    const std::lock_guard lock(part.mutex);
    part.Add(key, record, part_bytes_max_);
  }

 private:
  static constexpr size_t kParts = 16;  // so that threads seldom wait for each other
  static constexpr uint64_t kEntryBytes = 64;

  // Two generations: when the young one is full, the old one goes. What is used stays young.
  struct Part {
    using Records = absl::flat_hash_map<uint64_t, std::string>;
    std::mutex mutex;
    Records young;  // guarded by mutex, as all that follows
    Records old;
    uint64_t young_bytes = 0;

    void Add(uint64_t key, std::string record, uint64_t bytes_max) {
      const uint64_t bytes = record.size() + kEntryBytes;
      if (young_bytes + bytes > bytes_max / 2) {
        old = std::exchange(young, {});
        young_bytes = 0;
      }
      if (bytes <= bytes_max / 2 && young.insert_or_assign(key, std::move(record)).second)
        young_bytes += bytes;
    }
  };

  Part& PartOf(uint64_t key) { return parts_[base::Mix64(key, 0) % kParts]; }

  const uint64_t part_bytes_max_;
  std::array<Part, kParts> parts_;
};

}  // namespace flarestack::store::rocks
