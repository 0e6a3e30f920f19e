// SPDX-License-Identifier: Apache-2.0
//
// Reads the parts of a DIE (debugging information entry) that we need, over libdw. Each DIE is
// decoded once. The number of references followed is bounded, so that a cycle ends.
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

// The attributes of a DIE that we use; `code` is 0 in missing ones.
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

// Returns 0 if the attribute is missing or not a number.
uint64_t NumberOf(const Dwarf_Attribute& attribute);

// True if an attribute points into the supplementary file. If none was given, do not resolve such
// an attribute: libdw would search the disk for the file.
bool IsSupplementary(const Dwarf_Attribute& attribute);

// Appends the address intervals of a DIE, at most `count_max`. Returns false if there are more.
bool AppendIntervals(Dwarf_Die* die, const DieAttributes& attributes, size_t count_max,
                     std::vector<AddressInterval>* intervals);

struct FunctionName {
  std::string_view name;  // valid as long as the Dwarf; empty if there is none
  uint32_t start_line = 0;
};

struct NameOptions {
  bool has_supplementary = false;
  size_t name_bytes_max = 0;  // a longer one is dropped
};

// Returns the name of a function or an inlined call: the linkage name from anywhere along the
// references, or else the plain one.
FunctionName NameOf(const DieAttributes& attributes, const NameOptions& options);

}  // namespace flarestack::elf
