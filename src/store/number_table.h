// SPDX-License-Identifier: Apache-2.0
//
// Places by number: where the entries of a stored dictionary stand in an answer. It is asked for
// each frame of each stack, so it is one array in which most are found at the first look. The
// numbers are the store's own, one behind the other: nobody can choose them to collide.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace flarestack::store {

class NumberTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // kNone where it was not added.
  uint32_t Find(uint32_t number) const {
    if (slots_.empty())
      return kNone;
    for (size_t at = Position(number + 1);; at = (at + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[at];
      if (slot.number_plus_one == number + 1)
        return slot.place;
      if (slot.number_plus_one == 0)
        return kNone;
    }
  }

  // One that was not added before; any number but the highest.
  void Add(uint32_t number, uint32_t place) {
    if (++count_ * 2 > slots_.size())
      Grow();
    Insert({.number_plus_one = number + 1, .place = place});
  }

 private:
  static constexpr size_t kSlotsMin = 256;

  struct Slot {
    uint32_t number_plus_one = 0;  // 0: free
    uint32_t place = 0;
  };

  // Numbers that follow each other are spread over all slots.
  size_t Position(uint32_t number_plus_one) const {
    return (number_plus_one * 0x9e3779b1u) >> shift_;
  }

  void Insert(Slot slot) {
    size_t at = Position(slot.number_plus_one);
    while (slots_[at].number_plus_one != 0)
      at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }

  void Grow() {
    const std::vector<Slot> old =
        std::exchange(slots_, std::vector<Slot>(slots_.empty() ? kSlotsMin : slots_.size() * 2));
    shift_ = 32 - std::countr_zero(slots_.size());
    for (const Slot& slot : old) {
      if (slot.number_plus_one != 0)
        Insert(slot);
    }
  }

  std::vector<Slot> slots_;  // none or a power of two, at most half full
  int shift_ = 0;
  size_t count_ = 0;
};

}  // namespace flarestack::store
