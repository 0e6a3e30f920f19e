// SPDX-License-Identifier: Apache-2.0
//
// What we ask of a DIE (debugging information entry), over libdw. Each DIE is decoded once, and
// references are followed a bounded number of times, so that a circle of them ends.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace flarestack::elf {

struct AddressInterval {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// The attributes of a DIE that we use; `code` is 0 in those that it does not have.
struct DieAttributes {
  Dwarf_Attribute name = {};
  Dwarf_Attribute linkage_name = {};
  Dwarf_Attribute origin = {};  // DW_AT_abstract_origin or DW_AT_specification
  Dwarf_Attribute low_pc = {};
  Dwarf_Attribute high_pc = {};
  Dwarf_Attribute ranges = {};
  Dwarf_Attribute decl_line = {};
  Dwarf_Attribute call_file = {};
  Dwarf_Attribute call_line = {};
  Dwarf_Attribute call_column = {};

  bool has_code() const { return ranges.code != 0 || (low_pc.code != 0 && high_pc.code != 0); }
};

void ReadAttributes(Dwarf_Die* die, DieAttributes* attributes);

// 0 where the attribute is not there or no number.
uint64_t NumberOf(const Dwarf_Attribute& attribute);

// Whether an attribute points into the supplementary file. libdw would look for that on the disk on
// its own; those who have none given do not ask.
bool IsSupplementary(const Dwarf_Attribute& attribute);

// Appends where the code of a DIE is; at most `count_max` intervals, false when there are more.
bool AppendIntervals(Dwarf_Die* die, const DieAttributes& attributes, size_t count_max,
                     std::vector<AddressInterval>* intervals);

struct FunctionName {
  std::string_view name;  // lives as long as the Dwarf; empty when there is none
  uint32_t start_line = 0;
};

struct NameOptions {
  bool has_supplementary = false;
  size_t name_bytes_max = 0;  // a longer one is left out
};

// Of a function or an inlined call: the linkage name wherever it stands along the references, or
// else the plain one.
FunctionName NameOf(const DieAttributes& attributes, const NameOptions& options);

}  // namespace flarestack::elf
