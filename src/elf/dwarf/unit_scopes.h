// SPDX-License-Identifier: Apache-2.0
//
// Walks the DIEs of one unit at a time and collects the scopes that have code: functions and the
// calls inlined into them.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "elf/code_cover.h"
#include "elf/dwarf/dwarf.h"
#include "elf/dwarf/dwarf_die.h"
#include "elf/dwarf/dwarf_scopes.h"
#include "elf/dwarf/dwarf_sections.h"

namespace flarestack::elf {

class UnitScopes {
 public:
  UnitScopes(const DwarfSections& sections, const DwarfLimits& limits, bool has_supplementary)
      : sections_(sections),
        limits_(limits),
        names_{.has_supplementary = has_supplementary, .name_bytes_max = limits.name_bytes_max} {}

  // Replaces the collected scopes. Skips code that an earlier unit has reported.
  absl::Status Collect(Dwarf_Die* unit, DwarfStatistics* statistics);

  const std::vector<Scope>& scopes() const { return scopes_; }
  bool has_supplementary() const { return names_.has_supplementary; }
  std::vector<ScopeInterval>& intervals() { return intervals_; }

 private:
  // The position of the walk on one level of the tree.
  struct Level {
    Dwarf_Die die = {};
    uint32_t scope = kNoScope;
    uint32_t inline_depth = 0;
    // The code of the enclosing function, in areas_.
    size_t first_area = 0;
    size_t area_count = 0;
  };

  absl::Status Visit(Level* level, bool* descend);
  absl::Status VisitFunction(Level* level, bool* descend);
  absl::Status VisitInlined(Level* level);
  absl::Status AddInterval(const AddressInterval& interval, uint32_t scope);
  absl::StatusOr<uint32_t> AddScope();
  FunctionName CachedNameOfInlined();  // uses attributes_

  const DwarfSections& sections_;
  const DwarfLimits& limits_;
  const NameOptions names_;
  CodeCover cover_;
  bool types_have_code_ = false;
  DwarfStatistics* statistics_ = nullptr;

  std::vector<Level> levels_;
  std::vector<AddressInterval> areas_;
  std::vector<AddressInterval> found_;
  std::vector<Scope> scopes_;
  std::vector<ScopeInterval> intervals_;
  DieAttributes attributes_;
  absl::flat_hash_map<const void*, FunctionName> name_of_origin_;
};

}  // namespace flarestack::elf
