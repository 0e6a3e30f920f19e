// SPDX-License-Identifier: Apache-2.0
//
// Finds the earlier entry with the same content. A hash table of positions for a known number of
// entries: it never grows, and uses at most 32 bytes per entry.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace flarestack::check {

class FirstSeen {
 public:
  explicit FirstSeen(size_t entry_count) : slots_(std::bit_ceil(entry_count * 2 + 2)) {}

  // Calls `found(position, first)` for each position below `count`, in order. `first` is the
  // position of an earlier entry with the same hash for which `is_same(earlier, position)` is true.
  // If there is none, `first` is `position`, which is then stored. Prefetches the slots of several
  // entries before it reads the first: large tables are not in the cache, and waiting for each slot
  // in turn would dominate the run time.
  template <typename HashOf, typename IsSame, typename Found>
  void FindAll(uint32_t count, HashOf hash_of, IsSame is_same, Found found) {
    constexpr uint32_t kAhead = 32;
    std::array<uint64_t, kAhead> hashes;
    for (uint32_t begin = 0; begin < count; begin += kAhead) {
      const uint32_t ahead = std::min(kAhead, count - begin);
      for (uint32_t i = 0; i < ahead; ++i) {
        hashes[i] = hash_of(begin + i);
        __builtin_prefetch(&slots_[hashes[i] & (slots_.size() - 1)], 1);
      }
      for (uint32_t i = 0; i < ahead; ++i)
        found(begin + i, Find(hashes[i], begin + i, is_same));
    }
  }

 private:
  struct Slot {
    uint32_t tag = 0;                // the upper half of the hash
    uint32_t position_plus_one = 0;  // 0 if the slot is free
  };

  template <typename IsSame>
  uint32_t Find(uint64_t hash, uint32_t position, IsSame is_same) {
    const size_t mask = slots_.size() - 1;
    const auto tag = static_cast<uint32_t>(hash >> 32);
    for (size_t at = hash & mask;; at = (at + 1) & mask) {
      Slot& slot = slots_[at];
      if (slot.position_plus_one == 0) {
        slot = {.tag = tag, .position_plus_one = position + 1};
        return position;
      }
      if (slot.tag == tag && is_same(slot.position_plus_one - 1, position))
        return slot.position_plus_one - 1;
    }
  }

  std::vector<Slot> slots_;
};

}  // namespace flarestack::check
