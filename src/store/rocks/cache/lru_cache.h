// SPDX-License-Identifier: Apache-2.0
//
// Things that were used lately, within a number of bytes. What was not used for longest goes first.
// Thread-safe.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace flarestack::store::rocks {

template <typename Key, typename Value>
class LruCache {
 public:
  // One that would push most others out is not worth its place, unless it is said to be.
  explicit LruCache(uint64_t bytes_max) : LruCache(bytes_max, bytes_max / 2) {}
  LruCache(uint64_t bytes_max, uint64_t entry_bytes_max)
      : bytes_max_(bytes_max), entry_bytes_max_(entry_bytes_max) {}

  // Null where it is not known.
  std::shared_ptr<const Value> Find(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto at = places_.find(key);
    if (at == places_.end())
      return nullptr;
    entries_.splice(entries_.begin(), entries_, at->second);
    return at->second->value;
  }

  void Add(const Key& key, std::shared_ptr<const Value> value, uint64_t bytes) {
    if (bytes > entry_bytes_max_)
      return;
    const std::lock_guard lock(mutex_);
    const auto [at, is_new] = places_.try_emplace(key, entries_.end());
    if (!is_new)
      return;  // another thread was quicker
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

  // Instead of the one it has, if any.
  void Replace(const Key& key, std::shared_ptr<const Value> value, uint64_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto at = places_.find(key); at != places_.end()) {
        bytes_ -= at->second->bytes;
        entries_.erase(at->second);
        places_.erase(at);
      }
    }
    Add(key, std::move(value), bytes);
  }

  // Larger ones are not kept.
  uint64_t entry_bytes_max() const { return entry_bytes_max_; }

  // As held now.
  uint64_t bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

 private:
  struct Entry {
    Key key;
    std::shared_ptr<const Value> value;
    uint64_t bytes = 0;
  };
  using Entries = std::list<Entry>;  // the one used last first

  const uint64_t bytes_max_;
  const uint64_t entry_bytes_max_;
  mutable std::mutex mutex_;
  Entries entries_;  // guarded by mutex_, as all that follows
  std::map<Key, typename Entries::iterator> places_;
  uint64_t bytes_ = 0;
};

}  // namespace flarestack::store::rocks
