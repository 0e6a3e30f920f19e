// SPDX-License-Identifier: Apache-2.0
//
// Tracks which addresses were already reported. A function that appears in many units (an inline
// function of a header, of which the linker kept one copy) is taken from the first of them.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/btree_map.h"

namespace flarestack::elf {

class CodeCover {
 public:
  // Appends to `pieces` (any type with begin and end) the parts of [begin, end) that are not
  // covered yet, ascending, and marks the whole range as covered. Adjacent ranges are merged, so
  // that hostile input which covers the same range repeatedly stays cheap.
  template <typename Piece>
  void Take(uint64_t begin, uint64_t end, std::vector<Piece>* pieces) {
    if (begin >= end)
      return;
    auto at = end_of_.upper_bound(begin);
    if (at != end_of_.begin()) {
      const auto before = std::prev(at);
      if (before->second >= end)
        return;
      if (before->second >= begin)
        at = before;
    }
    uint64_t first = begin;
    uint64_t last = end;
    uint64_t free_from = begin;
    while (at != end_of_.end() && at->first <= end) {
      if (free_from < at->first)
        pieces->push_back({free_from, at->first});
      free_from = at->second > free_from ? at->second : free_from;
      first = at->first < first ? at->first : first;
      last = at->second > last ? at->second : last;
      at = end_of_.erase(at);
    }
    if (free_from < end)
      pieces->push_back({free_from, end});
    end_of_.emplace(first, last);
  }

 private:
  absl::btree_map<uint64_t, uint64_t> end_of_;  // by begin; disjoint and not adjacent
};

}  // namespace flarestack::elf
