// SPDX-License-Identifier: Apache-2.0
//
// Which earlier entry has the same content? A hash table of positions for a known number of
// entries: it never grows, and holds four bytes for each.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace flarestack::check {

class FirstSeen {
 public:
  explicit FirstSeen(size_t entry_count)
      : slots_(std::bit_ceil(entry_count * 2 + 2), 0), hashes_(slots_.size(), 0) {}

  // The position of an earlier entry with this hash for which `is_same(position)` holds; otherwise
  // `position` itself, which is remembered.
  template <typename IsSame>
  uint32_t Find(uint64_t hash, uint32_t position, IsSame is_same) {
    const size_t mask = slots_.size() - 1;
    const auto tag = static_cast<uint32_t>(hash >> 32);
    for (size_t at = hash & mask;; at = (at + 1) & mask) {
      if (slots_[at] == 0) {
        slots_[at] = position + 1;
        hashes_[at] = tag;
        return position;
      }
      if (hashes_[at] == tag && is_same(slots_[at] - 1))
        return slots_[at] - 1;
    }
  }

 private:
  std::vector<uint32_t> slots_;  // position + 1, or 0
  std::vector<uint32_t> hashes_;
};

}  // namespace flarestack::check
