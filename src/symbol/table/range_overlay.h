// SPDX-License-Identifier: Apache-2.0
//
// Lays what several sources say about code over each other, so that each address has one answer.
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

// `pieces` of one source, sorted by where they begin. Where two overlap, the first one stays.
void CutOverlaps(std::vector<RangePiece>* pieces);

struct OverlayRules {
  // Whether a piece tells the line, but not which function it is in.
  absl::FunctionRef<bool(const RangePiece&)> lacks_name;
  // The scope of such a piece when it gets the name that `other` has there.
  absl::FunctionRef<uint32_t(const RangePiece& piece, const RangePiece& other)> named_by;
};

// Both without overlaps. What `worse` says counts in the gaps of `better`, and names what has none.
std::vector<RangePiece> Overlay(std::vector<RangePiece> better,
                                const std::vector<RangePiece>& worse, const OverlayRules& rules);

}  // namespace flarestack::symbol
