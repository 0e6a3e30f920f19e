// SPDX-License-Identifier: Apache-2.0
#include "elf/dwarf/unit_scopes.h"

#include <dwarf.h>

#include <algorithm>
#include <limits>

#include "base/status.h"

namespace flarestack::elf {
namespace {

uint32_t Clamped(uint64_t number) {
  return static_cast<uint32_t>(std::min<uint64_t>(number, std::numeric_limits<uint32_t>::max()));
}

// For these languages, compilers put the code of member functions beside the types. So types can be
// skipped, which are most of the DWARF of C++.
bool KeepsCodeOutOfTypes(int language) {
  switch (language) {
    case DW_LANG_C:
    case DW_LANG_C89:
    case DW_LANG_C99:
    case DW_LANG_C11:
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
      return true;
    default:
      // DWARF 6 assigns these to C17, C++17, C++20 and C23; newer compilers already use them.
      return language >= 0x2a && language <= 0x2c;
  }
}

absl::Status Exceeded(std::string_view what, uint64_t limit) {
  return absl::ResourceExhaustedError(base::StrCat("more than ", limit, " ", what));
}

}  // namespace

absl::Status UnitScopes::Collect(Dwarf_Die* unit, DwarfStatistics* statistics) {
  statistics_ = statistics;
  types_have_code_ = !KeepsCodeOutOfTypes(dwarf_srclang(unit));
  levels_.clear();
  areas_.clear();
  scopes_.clear();
  intervals_.clear();
  name_of_origin_.clear();
  Level top;
  if (dwarf_child(unit, &top.die) != 0)
    return absl::OkStatus();
  levels_.push_back(top);
  while (!levels_.empty()) {
    if (++statistics_->die_count > limits_.dies_max)
      return Exceeded("debugging entries", limits_.dies_max);
    Level inner = levels_.back();
    bool descend = false;
    FLARE_RETURN_IF_ERROR(Visit(&inner, &descend));
    Dwarf_Die child;
    if (descend && dwarf_child(&inner.die, &child) == 0) {
      if (levels_.size() >= limits_.die_depth_max)
        return Exceeded("levels of debugging entries", limits_.die_depth_max);
      inner.die = child;
      levels_.push_back(inner);
      continue;
    }
    Dwarf_Die next;
    while (!levels_.empty() && dwarf_siblingof(&levels_.back().die, &next) != 0)
      levels_.pop_back();
    if (!levels_.empty())
      levels_.back().die = next;
  }
  return absl::OkStatus();
}

absl::Status UnitScopes::Visit(Level* level, bool* descend) {
  switch (dwarf_tag(&level->die)) {
    case DW_TAG_subprogram:
      return VisitFunction(level, descend);
    case DW_TAG_inlined_subroutine:
      *descend = true;
      return level->area_count > 0 ? VisitInlined(level) : absl::OkStatus();
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_with_stmt:
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_common_block:
      *descend = true;
      return absl::OkStatus();
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type:
    case DW_TAG_interface_type:
    case DW_TAG_variant_part:
    case DW_TAG_variant:
      *descend = types_have_code_;
      return absl::OkStatus();
    default:
      return absl::OkStatus();
  }
}

absl::Status UnitScopes::VisitFunction(Level* level, bool* descend) {
  level->scope = kNoScope;
  level->inline_depth = 0;
  level->area_count = 0;
  level->first_area = areas_.size();
  ReadAttributes(&level->die, &attributes_);
  if (!attributes_.has_code()) {
    *descend = types_have_code_;
    return absl::OkStatus();
  }
  found_.clear();
  if (!AppendIntervals(&level->die, attributes_, limits_.intervals_max, &found_))
    return Exceeded("pieces of a function", limits_.intervals_max);
  for (const AddressInterval& interval : found_) {
    if (sections_.IsCode(interval.begin) && sections_.IsCode(interval.end - 1))
      cover_.Take(interval.begin, interval.end, &areas_);
  }
  level->area_count = areas_.size() - level->first_area;
  // A copy of code that another unit has reported, or code that the linker discarded.
  if (level->area_count == 0) {
    *descend = types_have_code_;
    return absl::OkStatus();
  }
  std::sort(areas_.begin() + static_cast<ptrdiff_t>(level->first_area), areas_.end(),
            [](const AddressInterval& a, const AddressInterval& b) { return a.begin < b.begin; });
  ++statistics_->function_count;
  const FunctionName name = NameOf(attributes_, names_);
  FLARE_ASSIGN(level->scope, AddScope());
  scopes_.back().function = name.name;
  scopes_.back().start_line = name.start_line;
  for (size_t i = 0; i < level->area_count; ++i)
    FLARE_RETURN_IF_ERROR(AddInterval(areas_[level->first_area + i], level->scope));
  *descend = true;
  return absl::OkStatus();
}

absl::Status UnitScopes::VisitInlined(Level* level) {
  ReadAttributes(&level->die, &attributes_);
  if (!attributes_.has_code())
    return absl::OkStatus();
  if (++level->inline_depth > limits_.inline_depth_max)
    return Exceeded("levels of inlining", limits_.inline_depth_max);
  found_.clear();
  if (!AppendIntervals(&level->die, attributes_, limits_.intervals_max, &found_))
    return Exceeded("pieces of an inlined function", limits_.intervals_max);
  ++statistics_->inline_count;
  const uint32_t parent = level->scope;
  FLARE_ASSIGN(level->scope, AddScope());
  Scope& scope = scopes_.back();
  const FunctionName name = CachedNameOfInlined();
  scope.function = name.name;
  scope.start_line = name.start_line;
  scope.parent = parent;
  scope.call_file = NumberOf(attributes_.call_file);
  scope.call_line = Clamped(NumberOf(attributes_.call_line));
  scope.call_column = Clamped(NumberOf(attributes_.call_column));
  // Clip to the function.
  const auto first = areas_.begin() + static_cast<ptrdiff_t>(level->first_area);
  const auto last = first + static_cast<ptrdiff_t>(level->area_count);
  for (const AddressInterval& piece : found_) {
    auto area = std::lower_bound(first, last, piece.begin,
                                 [](const AddressInterval& a, uint64_t at) { return a.end <= at; });
    for (; area != last && area->begin < piece.end; ++area) {
      FLARE_RETURN_IF_ERROR(AddInterval(
          {std::max(area->begin, piece.begin), std::min(area->end, piece.end)}, level->scope));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<uint32_t> UnitScopes::AddScope() {
  if (scopes_.size() >= limits_.scopes_max)
    return Exceeded("functions and inlined calls in one unit", limits_.scopes_max);
  scopes_.emplace_back();
  return static_cast<uint32_t>(scopes_.size() - 1);
}

absl::Status UnitScopes::AddInterval(const AddressInterval& interval, uint32_t scope) {
  if (intervals_.size() >= limits_.intervals_max)
    return Exceeded("pieces of code in one unit", limits_.intervals_max);
  intervals_.push_back({interval.begin, interval.end, scope});
  return absl::OkStatus();
}

// A function in a header may be inlined in thousands of places; its name is read only once.
FunctionName UnitScopes::CachedNameOfInlined() {
  const Dwarf_Attribute& origin = attributes_.origin;
  Dwarf_Die target;
  Dwarf_Attribute copy = origin;
  if (origin.code == 0 || (IsSupplementary(origin) && !names_.has_supplementary) ||
      dwarf_formref_die(&copy, &target) == nullptr)
    return NameOf(attributes_, names_);
  const auto [entry, is_new] = name_of_origin_.try_emplace(target.addr);
  if (is_new) {
    DieAttributes of_target;
    ReadAttributes(&target, &of_target);
    entry->second = NameOf(of_target, names_);
  }
  return entry->second;
}

}  // namespace flarestack::elf
