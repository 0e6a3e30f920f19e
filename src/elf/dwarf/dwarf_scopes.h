// SPDX-License-Identifier: Apache-2.0
//
// Turns the scopes of a unit (functions and the calls inlined into them) and its line table into
// code ranges. Plain data in, ranges out: nothing from libdw is needed here.
//
//   scopes     main [0, 90)    walk, inlined [10, 60)    step, inlined into walk [20, 30)
//   innermost  main [0, 10)  walk [10, 20)  step [20, 30)  walk [30, 60)  main [60, 90)
//   ranges     each of these split again where the line changes
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "elf/code_range.h"
#include "elf/dwarf/line_table.h"

namespace flarestack::elf {

inline constexpr uint32_t kNoScope = std::numeric_limits<uint32_t>::max();

// A function, or one place where a function was inlined.
struct Scope {
  std::string_view function;
  uint32_t start_line = 0;
  uint32_t parent = kNoScope;  // precedes its children
  // The position of the call in the parent.
  uint64_t call_file = 0;
  uint32_t call_line = 0;
  uint32_t call_column = 0;
};

struct ScopeInterval {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint32_t scope = kNoScope;
};

// Sorts the intervals and replaces them by disjoint ones, each with the innermost scope. Of two
// scopes at one address, the inner one is the one that begins later, then the shorter one, then the
// one later in the list of scopes.
void KeepInnermost(std::vector<ScopeInterval>* intervals, std::vector<ScopeInterval>* scratch);

// Reused for one unit after another.
class RangeBuilder {
 public:
  // Takes the intervals of KeepInnermost. Ranges are ascending, and neighbours differ.
  absl::Status Build(const std::vector<Scope>& scopes, const std::vector<ScopeInterval>& innermost,
                     LineTable* lines, CodeRangeVisitor visit);

  // For a unit without functions: its lines, in frames without a function.
  absl::Status BuildLinesAlone(LineTable* lines, CodeRangeVisitor visit);

  uint64_t range_count() const { return range_count_; }

 private:
  void SetScope(const std::vector<Scope>& scopes, uint32_t scope, LineTable* lines);
  absl::Status Add(uint64_t begin, uint64_t end, CodeRangeVisitor visit);
  absl::Status Flush(CodeRangeVisitor visit);

  std::vector<SourceFrame> frames_;
  uint32_t scope_of_frames_ = kNoScope;
  // The pending range, which may still grow.
  uint64_t begin_ = 0;
  uint64_t end_ = 0;
  std::vector<SourceFrame> pending_;
  uint64_t range_count_ = 0;
};

}  // namespace flarestack::elf
