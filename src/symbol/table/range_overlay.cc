// SPDX-License-Identifier: Apache-2.0
#include "symbol/table/range_overlay.h"

#include <algorithm>

namespace flarestack::symbol {

void CutOverlaps(std::vector<RangePiece>* pieces) {
  uint64_t covered = 0;
  std::erase_if(*pieces, [&covered](RangePiece& piece) {
    piece.begin = std::max(piece.begin, covered);
    if (piece.begin >= piece.end)
      return true;
    covered = piece.end;
    return false;
  });
}

std::vector<RangePiece> Overlay(std::vector<RangePiece> better,
                                const std::vector<RangePiece>& worse, const OverlayRules& rules) {
  if (worse.empty())
    return better;
  std::vector<RangePiece> all;
  all.reserve(better.size() + worse.size());
  const auto add = [&all](RangePiece piece, uint64_t begin, uint64_t end) {
    piece.begin = begin;
    piece.end = end;
    if (begin < end)
      all.push_back(piece);
  };
  size_t next = 0;  // index in `better`; its piece shrinks from the front as parts are added
  for (const RangePiece& piece : worse) {
    for (uint64_t at = piece.begin; at < piece.end;) {
      while (next < better.size() && better[next].end <= at)
        all.push_back(better[next++]);
      if (next == better.size() || better[next].begin >= piece.end) {
        add(piece, at, piece.end);
        break;
      }
      RangePiece& over = better[next];
      add(piece, at, std::max(at, over.begin));
      at = std::max(at, over.begin);
      const uint64_t end = std::min(over.end, piece.end);
      if (rules.lacks_name(over)) {
        add(over, over.begin, at);
        RangePiece named = over;
        named.scope = rules.named_by(over, piece);
        add(named, at, end);
        over.begin = end;
        next += over.begin >= over.end ? 1u : 0u;
      }
      at = end;
    }
  }
  all.insert(all.end(), better.begin() + static_cast<ptrdiff_t>(next), better.end());
  return all;
}

}  // namespace flarestack::symbol
