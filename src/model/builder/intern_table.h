// SPDX-License-Identifier: Apache-2.0
//
// The hash table behind every interned table of a dictionary. It maps a hash to the index of an
// entry that is stored elsewhere. It uses open addressing because the entries already are in a
// vector, and a set that owns its keys would store each of them twice.
//
// A sender repeats most of its last message in the same order. While it does, the table compares
// the entry after the last one found first, and touches neither hash nor slot.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace flarestack::model {

class InternTable {
 public:
  // Returns the index of the entry with this hash for which `equal(index)` is true. If there is
  // none, stores and returns `next`, and the caller must append its entry at that index.
  template <typename Equal>
  uint32_t FindOrAdd(uint64_t hash64, uint32_t next, Equal equal) {
    if ((used_ + 1) * 2 > slots_.size()) [[unlikely]] {
      Grow();
    }
    // Keep only half of the hash: an 8-byte slot matters more than a rare useless comparison.
    const auto hash = static_cast<uint32_t>(hash64 ^ hash64 >> 32);
    for (size_t at = Position(hash);; at = (at + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[at];
      if (slot.index_plus_one == 0) {
        slot = {.hash = hash, .index_plus_one = next + 1};
        ++used_;
        return next;
      }
      if (slot.hash == hash && equal(slot.index_plus_one - 1)) {
        return slot.index_plus_one - 1;
      }
    }
  }

  // Same for entries that arrive in a known order. Calls `hash` only if the entry is not the
  // expected one.
  template <typename Hash, typename Equal>
  uint32_t FollowOrAdd(uint32_t next, Hash hash, Equal equal) {
    const uint32_t expected = last_ + 1;
    if (repetition_ > 0 && expected < next) {
      if (equal(expected)) {
        return last_ = expected;
      }
      --repetition_;
    }
    const uint32_t found = FindOrAdd(hash(), next, equal);
    if (found == expected && found != next) {
      repetition_ = std::min(repetition_ + 1, kRepetitionMax);
    }
    return last_ = found;
  }

 private:
  static constexpr size_t kSlotsMin = 64;
  static constexpr int kRepetitionMax = 4;

  struct Slot {
    uint32_t hash = 0;
    uint32_t index_plus_one = 0;  // 0 marks a free slot
  };

  size_t Position(uint32_t hash) const { return hash & (slots_.size() - 1); }

  void Grow() {
    const std::vector<Slot> old = std::move(slots_);
    slots_.assign(old.empty() ? kSlotsMin : old.size() * 2, Slot{});
    for (const Slot& slot : old) {
      if (slot.index_plus_one == 0) {
        continue;
      }
      size_t at = Position(slot.hash);
      while (slots_[at].index_plus_one != 0) {
        at = (at + 1) & (slots_.size() - 1);
      }
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;  // a power of two, at most half full
  size_t used_ = 0;
  uint32_t last_ = 0;
  int repetition_ = 0;  // how often entries recently arrived in the known order
};

}  // namespace flarestack::model
