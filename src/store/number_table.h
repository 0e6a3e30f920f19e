// SPDX-License-Identifier: Apache-2.0
//
// Maps numbers of a stored dictionary to positions in a response. It is looked up for every frame
// of every stack. The store assigns numbers sequentially, and a response mostly needs neighbouring
// numbers. So sixteen numbers share a cache line, and only lines are hashed. Clients cannot choose
// numbers, so they cannot force collisions.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace flarestack::store {

class NumberTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // Returns kNone if the number was not added.
  uint32_t Find(uint32_t number) const {
    const uint32_t line = FindLine(number / kNumbersPerLine);
    return line == kNone ? kNone : lines_[line][number % kNumbersPerLine];
  }

  // `number` must be new, and must not be UINT32_MAX.
  void Add(uint32_t number, uint32_t place) {
    uint32_t line = FindLine(number / kNumbersPerLine);
    if (line == kNone)
      line = AddLine(number / kNumbersPerLine);
    lines_[line][number % kNumbersPerLine] = place;
  }

  size_t Bytes() const {
    return lines_.capacity() * sizeof(Line) + slots_.capacity() * sizeof(Slot);
  }

 private:
  static constexpr uint32_t kNumbersPerLine = 16;
  static constexpr size_t kSlotsMin = 16;

  using Line = std::array<uint32_t, kNumbersPerLine>;  // places; kNone: not added

  struct Slot {
    uint32_t page_plus_one = 0;  // 0: free
    uint32_t line = 0;           // in lines_
  };

  uint32_t FindLine(uint32_t page) const {
    if (slots_.empty())
      return kNone;
    for (size_t at = Position(page + 1);; at = (at + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[at];
      if (slot.page_plus_one == page + 1)
        return slot.line;
      if (slot.page_plus_one == 0)
        return kNone;
    }
  }

  uint32_t AddLine(uint32_t page) {
    const auto line = static_cast<uint32_t>(lines_.size());
    lines_.emplace_back().fill(kNone);
    if (lines_.size() * 2 > slots_.size())
      Grow();
    Insert({.page_plus_one = page + 1, .line = line});
    return line;
  }

  // Spreads consecutive pages over all slots.
  size_t Position(uint32_t page_plus_one) const { return (page_plus_one * 0x9e3779b1u) >> shift_; }

  void Insert(Slot slot) {
    size_t at = Position(slot.page_plus_one);
    while (slots_[at].page_plus_one != 0)
      at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }

  void Grow() {
    const std::vector<Slot> old =
        std::exchange(slots_, std::vector<Slot>(slots_.empty() ? kSlotsMin : slots_.size() * 2));
    shift_ = 32 - std::countr_zero(slots_.size());
    for (const Slot& slot : old) {
      if (slot.page_plus_one != 0)
        Insert(slot);
    }
  }

  std::vector<Line> lines_;
  std::vector<Slot> slots_;  // empty or a power of two, at most half full
  int shift_ = 0;
};

}  // namespace flarestack::store
