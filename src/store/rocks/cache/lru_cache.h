// SPDX-License-Identifier: Apache-2.0
//
// A cache limited by bytes that evicts the least recently used entry first. Thread-safe.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <utility>

#include "base/mutex.h"

namespace flarestack::store::rocks {

template <typename Key, typename Value>
class LruCache {
 public:
  // By default, entries larger than half the cache are not kept: they would evict most others.
  explicit LruCache(uint64_t bytes_max) : LruCache(bytes_max, bytes_max / 2) {}
  LruCache(uint64_t bytes_max, uint64_t entry_bytes_max)
      : bytes_max_(bytes_max), entry_bytes_max_(entry_bytes_max) {}

  // Returns nullptr on a miss.
  std::shared_ptr<const Value> Find(const Key& key) {
    const base::MutexLock lock(mutex_);
    const auto at = places_.find(key);
    if (at == places_.end())
      return nullptr;
    entries_.splice(entries_.begin(), entries_, at->second);
    return at->second->value;
  }

  void Add(const Key& key, std::shared_ptr<const Value> value, uint64_t bytes) {
    if (bytes > entry_bytes_max_)
      return;
    const base::MutexLock lock(mutex_);
    const auto [at, is_new] = places_.try_emplace(key, entries_.end());
    if (!is_new)
      return;  // another thread was faster
    bytes_ += bytes;
    entries_.push_front({.key = key, .value = std::move(value), .bytes = bytes});
    at->second = entries_.begin();
    while (bytes_ > bytes_max_) {
      const Entry& last = entries_.back();
      bytes_ -= last.bytes;
      places_.erase(last.key);
      entries_.pop_back();
    }
  }

  // Overwrites an existing entry.
  void Replace(const Key& key, std::shared_ptr<const Value> value, uint64_t bytes) {
    {
      const base::MutexLock lock(mutex_);
      if (const auto at = places_.find(key); at != places_.end()) {
        bytes_ -= at->second->bytes;
        entries_.erase(at->second);
        places_.erase(at);
      }
    }
    Add(key, std::move(value), bytes);
  }

  // Larger entries are not cached.
  uint64_t entry_bytes_max() const { return entry_bytes_max_; }

  // Current usage.
  uint64_t bytes() const {
    const base::MutexLock lock(mutex_);
    return bytes_;
  }

 private:
  struct Entry {
    Key key;
    std::shared_ptr<const Value> value;
    uint64_t bytes = 0;
  };
  using Entries = std::list<Entry>;  // most recently used first

  const uint64_t bytes_max_;
  const uint64_t entry_bytes_max_;
  mutable base::Mutex mutex_;
  Entries entries_ FLARE_GUARDED_BY(mutex_);
  std::map<Key, typename Entries::iterator> places_ FLARE_GUARDED_BY(mutex_);
  uint64_t bytes_ FLARE_GUARDED_BY(mutex_) = 0;
};

}  // namespace flarestack::store::rocks
