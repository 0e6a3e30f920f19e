// SPDX-License-Identifier: Apache-2.0
//
// The hash table under every interned table of a dictionary: it maps a hash to the index of an
// entry that lives elsewhere. Open addressing, because the entries already stand in a vector and a
// set that owns its keys would hold each of them twice.
//
// A sender tells most of its last message again, in the same order. While that goes on, the entry
// behind the last one found is compared first, and neither hash nor slot is touched.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace flarestack::model {

class InternTable {
 public:
  // The index of the entry with this hash for which `equal(index)` holds; `next` is stored and
  // returned when there is none, and the caller then appends its entry at that index.
  template <typename Equal>
  uint32_t FindOrAdd(uint64_t hash64, uint32_t next, Equal equal) {
    if ((used_ + 1) * 2 > slots_.size()) [[unlikely]] {
      Grow();
    }
    // Half of the hash is kept: a slot is then 8 bytes, which matters more than the rare entry that
    // is compared in vain.
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

  // The same for entries that come in an order known from before; `hash` is only called where the
  // entry is not the expected one.
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
  int repetition_ = 0;  // how often of late an entry was followed by its successor
};

}  // namespace flarestack::model
