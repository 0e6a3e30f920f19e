// SPDX-License-Identifier: Apache-2.0
#include "elf/dwarf/dwarf_die.h"

#include <dwarf.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace flarestack::elf {
namespace {

// A concrete function refers to an abstract one, which refers to a declaration: real files need
// three.
constexpr int kReferencesMax = 16;

int Keep(Dwarf_Attribute* attribute, void* argument) {
  auto* kept = static_cast<DieAttributes*>(argument);
  switch (attribute->code) {
    case DW_AT_name:
      kept->name = *attribute;
      break;
    case DW_AT_linkage_name:
    case DW_AT_MIPS_linkage_name:
      kept->linkage_name = *attribute;
      break;
    case DW_AT_abstract_origin:
    case DW_AT_specification:
      kept->origin = *attribute;
      break;
    case DW_AT_low_pc:
      kept->low_pc = *attribute;
      break;
    case DW_AT_high_pc:
      kept->high_pc = *attribute;
      break;
    case DW_AT_ranges:
      kept->ranges = *attribute;
      break;
    case DW_AT_decl_line:
      kept->decl_line = *attribute;
      break;
    case DW_AT_call_file:
      kept->call_file = *attribute;
      break;
    case DW_AT_call_line:
      kept->call_line = *attribute;
      break;
    case DW_AT_call_column:
      kept->call_column = *attribute;
      break;
    default:
      break;
  }
  return DWARF_CB_OK;
}

std::string_view TextOf(const Dwarf_Attribute& attribute, const NameOptions& options) {
  if (attribute.code == 0 || (IsSupplementary(attribute) && !options.has_supplementary))
    return {};
  Dwarf_Attribute copy = attribute;  // libdw's parameter is not const
  const char* text = dwarf_formstring(&copy);
  if (text == nullptr)
    return {};
  const size_t length = strnlen(text, options.name_bytes_max + 1);
  return length > options.name_bytes_max ? std::string_view{} : std::string_view(text, length);
}

}  // namespace

void ReadAttributes(Dwarf_Die* die, DieAttributes* attributes) {
  *attributes = {};
  dwarf_getattrs(die, Keep, attributes, 0);
}

uint64_t NumberOf(const Dwarf_Attribute& attribute) {
  if (attribute.code == 0)
    return 0;
  Dwarf_Attribute copy = attribute;
  Dwarf_Word number = 0;
  return dwarf_formudata(&copy, &number) == 0 ? number : 0;
}

bool IsSupplementary(const Dwarf_Attribute& attribute) {
  switch (attribute.form) {
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_GNU_strp_alt:
    case DW_FORM_ref_sup4:
    case DW_FORM_ref_sup8:
    case DW_FORM_strp_sup:
      return true;
    default:
      return false;
  }
}

bool AppendIntervals(Dwarf_Die* die, const DieAttributes& attributes, size_t count_max,
                     std::vector<AddressInterval>* intervals) {
  if (attributes.ranges.code == 0) {
    Dwarf_Attribute low = attributes.low_pc;
    Dwarf_Attribute high = attributes.high_pc;
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    if (dwarf_formaddr(&low, &begin) != 0)
      return true;
    // From version 4 on, the end is an address or a length.
    if (dwarf_formaddr(&high, &end) != 0) {
      const uint64_t length = NumberOf(high);
      end = length > std::numeric_limits<uint64_t>::max() - begin ? begin : begin + length;
    }
    if (begin < end)
      intervals->push_back({begin, end});
    return true;
  }
  Dwarf_Addr base = 0;
  Dwarf_Addr begin = 0;
  Dwarf_Addr end = 0;
  size_t count = 0;
  for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &begin, &end)) > 0;) {
    if (++count > count_max)
      return false;
    if (begin < end)
      intervals->push_back({begin, end});
  }
  return true;
}

FunctionName NameOf(const DieAttributes& attributes, const NameOptions& options) {
  FunctionName found;
  std::string_view plain;
  DieAttributes at = attributes;
  for (int hop = 0; hop < kReferencesMax; ++hop) {
    if (found.start_line == 0) {
      found.start_line = static_cast<uint32_t>(
          std::min<uint64_t>(NumberOf(at.decl_line), std::numeric_limits<uint32_t>::max()));
    }
    if (found.name.empty())
      found.name = TextOf(at.linkage_name, options);
    if (plain.empty())
      plain = TextOf(at.name, options);
    if (at.origin.code == 0 || (IsSupplementary(at.origin) && !options.has_supplementary))
      break;
    Dwarf_Die next = {};
    if (dwarf_formref_die(&at.origin, &next) == nullptr)
      break;
    ReadAttributes(&next, &at);
  }
  if (found.name.empty())
    found.name = plain;
  return found;
}

}  // namespace flarestack::elf
