// SPDX-License-Identifier: Apache-2.0
//
// Overlays the code ranges of several sources, so that each address has one result.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"

namespace flarestack::symbol {

struct RangePiece {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint32_t scope = 0;
  uint32_t line = 0;
  uint32_t column = 0;

  bool SameCode(const RangePiece& other) const {
    return scope == other.scope && line == other.line && column == other.column;
  }
};

// `pieces` come from one source, sorted by begin. Where two overlap, the first one wins.
void CutOverlaps(std::vector<RangePiece>* pieces);

struct OverlayRules {
  // True if a piece has a line but no function.
  absl::FunctionRef<bool(const RangePiece&)> lacks_name;
  // Returns the scope of such a piece with the name that `other` has there.
  absl::FunctionRef<uint32_t(const RangePiece& piece, const RangePiece& other)> named_by;
};

// Both inputs are free of overlaps. `worse` fills the gaps of `better`, and names its unnamed
// pieces.
std::vector<RangePiece> Overlay(std::vector<RangePiece> better,
                                const std::vector<RangePiece>& worse, const OverlayRules& rules);

}  // namespace flarestack::symbol
