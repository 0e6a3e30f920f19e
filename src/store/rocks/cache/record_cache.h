// SPDX-License-Identifier: Apache-2.0
//
// Caches recently read pages of the dictionary. A repeated query needs the same stacks and names
// again, and RocksDB takes microseconds for each of tens of thousands.
//
// An entry never changes, so nothing is invalidated. A page with added entries replaces its older
// version. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/hash.h"
#include "base/mutex.h"
#include "store/rocks/cache/record_page.h"

namespace flarestack::store::rocks {

class RecordCache {
 public:
  explicit RecordCache(uint64_t bytes_max) : part_bytes_max_(bytes_max / kParts) {}

  // Returns nullptr on a miss.
  std::shared_ptr<const RecordPage> Find(uint64_t key) {
    Part& part = PartOf(key);
    const base::MutexLock lock(part.mutex);
    if (const auto at = part.young.find(key); at != part.young.end())
      return at->second;
    const auto at = part.old.find(key);
    if (at == part.old.end())
      return nullptr;
    std::shared_ptr<const RecordPage> page = at->second;
    part.Add(key, page, part_bytes_max_);
    return page;
  }

  void Add(uint64_t key, std::shared_ptr<const RecordPage> page) {
    Part& part = PartOf(key);
    const base::MutexLock lock(part.mutex);
    part.Add(key, std::move(page), part_bytes_max_);
  }

 private:
  static constexpr size_t kParts = 16;  // so that threads rarely wait for each other
  static constexpr uint64_t kEntryBytes = 64;

  // Two generations: when the young one is full, the old one is evicted. Pages in use stay young.
  struct Part {
    using Pages = absl::flat_hash_map<uint64_t, std::shared_ptr<const RecordPage>>;
    base::Mutex mutex;
    Pages young FLARE_GUARDED_BY(mutex);
    Pages old FLARE_GUARDED_BY(mutex);
    uint64_t young_bytes FLARE_GUARDED_BY(mutex) = 0;

    void Add(uint64_t key, std::shared_ptr<const RecordPage> page, uint64_t bytes_max)
        FLARE_REQUIRES(mutex) {
      const uint64_t bytes = page->Bytes() + kEntryBytes;
      if (young_bytes + bytes > bytes_max / 2) {
        old = std::exchange(young, {});
        young_bytes = 0;
      }
      if (bytes > bytes_max / 2)
        return;
      std::shared_ptr<const RecordPage>& kept = young[key];
      if (kept != nullptr)
        young_bytes -= kept->Bytes() + kEntryBytes;
      kept = std::move(page);
      young_bytes += bytes;
    }
  };

  Part& PartOf(uint64_t key) { return parts_[base::Mix64(key, 0) % kParts]; }

  const uint64_t part_bytes_max_;
  std::array<Part, kParts> parts_;
};

}  // namespace flarestack::store::rocks
