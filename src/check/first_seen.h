// SPDX-License-Identifier: Apache-2.0
//
// Which earlier entry has the same content? A hash table of positions for a known number of
// entries: it never grows, and takes at most 32 bytes for each.
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

  // For each position below `count`, in order, `found(position, first)`: the position of an earlier
  // entry with this hash for which `is_same(earlier, position)` holds, otherwise `position` itself,
  // which is remembered. The slots of some entries are asked for before the first of them is looked
  // at: large tables are in no cache, and waiting for each slot in turn would take most of the
  // time.
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
    uint32_t position_plus_one = 0;  // 0 for a free one
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
