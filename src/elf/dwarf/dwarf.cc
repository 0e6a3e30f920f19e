// SPDX-License-Identifier: Apache-2.0
#include "elf/dwarf/dwarf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>

#include <memory>

#include "base/status.h"
#include "elf/dwarf/dwarf_scopes.h"
#include "elf/dwarf/dwarf_sections.h"
#include "elf/dwarf/unit_scopes.h"

namespace flarestack::elf {
namespace {

struct EndElf {
  void operator()(Elf* elf) const { elf_end(elf); }
};
struct EndDwarf {
  void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};

// libdw's view of one file in memory.
struct OpenDwarf {
  std::unique_ptr<Elf, EndElf> elf;
  std::unique_ptr<Dwarf, EndDwarf> dwarf;
};

absl::StatusOr<OpenDwarf> OpenInMemory(std::string_view image) {
  elf_version(EV_CURRENT);
  OpenDwarf open;
  // libelf's parameter is not const, but it writes only to decompress; DwarfSections prevents that.
  open.elf.reset(elf_memory(const_cast<char*>(image.data()), image.size()));
  if (open.elf == nullptr)
    return absl::InvalidArgumentError(base::StrCat("libelf: ", elf_errmsg(-1)));
  open.dwarf.reset(dwarf_begin_elf(open.elf.get(), DWARF_C_READ, nullptr));
  if (open.dwarf == nullptr)
    return absl::InvalidArgumentError(base::StrCat("libdw: ", dwarf_errmsg(-1)));
  return open;
}

class DwarfReader {
 public:
  DwarfReader(const DwarfSections& sections, const DwarfLimits& limits, bool has_supplementary)
      : sections_(sections), limits_(limits), scopes_(sections, limits, has_supplementary) {
    statistics_.debug_bytes = sections.debug_bytes();
  }

  absl::Status ReadUnits(Dwarf* dwarf, CodeRangeVisitor visit);
  DwarfStatistics& statistics() { return statistics_; }

 private:
  absl::Status ReadUnit(Dwarf_Die* unit, bool is_skeleton, CodeRangeVisitor visit);
  absl::Status ReadLines(Dwarf_Die* unit);
  void Skip(const std::string& reason) { ++statistics_.units_skipped[reason]; }

  const DwarfSections& sections_;
  const DwarfLimits& limits_;
  UnitScopes scopes_;
  LineTable lines_;
  RangeBuilder builder_;
  std::vector<ScopeInterval> scratch_;
  DwarfStatistics statistics_;
};

absl::Status DwarfReader::ReadUnits(Dwarf* dwarf, CodeRangeVisitor visit) {
  const auto bounded_visit = [&](const CodeRange& range) -> absl::Status {
    if (++statistics_.range_count > limits_.ranges_max)
      return absl::ResourceExhaustedError(
          base::StrCat("more than ", limits_.ranges_max, " ranges"));
    return visit(range);
  };
  Dwarf_CU* unit = nullptr;
  for (;;) {
    Dwarf_CU* next = nullptr;
    Dwarf_Half version = 0;
    uint8_t type = 0;
    Dwarf_Die die = {};
    // The argument for the split unit is null, so libdw does not look for its file.
    const int result = dwarf_get_units(dwarf, unit, &next, &version, &type, &die, nullptr);
    if (result < 0)
      Skip(base::StrCat("unreadable units: ", dwarf_errmsg(-1)));
    if (result != 0)
      return absl::OkStatus();
    unit = next;
    if (++statistics_.unit_count > limits_.units_max)
      return absl::ResourceExhaustedError(base::StrCat("more than ", limits_.units_max, " units"));
    if (type == DW_UT_compile || type == DW_UT_skeleton)
      FLARE_RETURN_IF_ERROR(ReadUnit(&die, type == DW_UT_skeleton, bounded_visit));
  }
}

absl::Status DwarfReader::ReadUnit(Dwarf_Die* unit, bool is_skeleton, CodeRangeVisitor visit) {
  FLARE_RETURN_IF_ERROR(scopes_.Collect(unit, &statistics_));
  const bool lines_alone = scopes_.scopes().empty();
  if (is_skeleton)
    Skip("functions are in a .dwo file (split DWARF), lines are here");
  // A unit whose functions were all reported by other units adds nothing. Units in assembler or of
  // split DWARF have no functions at all.
  if (lines_alone && !is_skeleton && dwarf_srclang(unit) != DW_LANG_Mips_Assembler)
    return absl::OkStatus();
  if (const absl::Status status = ReadLines(unit); !status.ok()) {
    if (status.code() == absl::StatusCode::kResourceExhausted)
      return status;
    Skip(base::StrCat("lines: ", base::Message(status)));
  }
  if (lines_alone)
    return builder_.BuildLinesAlone(&lines_, visit);
  KeepInnermost(&scopes_.intervals(), &scratch_);
  return builder_.Build(scopes_.scopes(), scopes_.intervals(), &lines_, visit);
}

absl::Status DwarfReader::ReadLines(Dwarf_Die* unit) {
  lines_.Clear();
  Dwarf_Attribute attribute;
  Dwarf_Word offset = 0;
  if (dwarf_attr(unit, DW_AT_stmt_list, &attribute) == nullptr)
    return absl::OkStatus();
  if (dwarf_formudata(&attribute, &offset) != 0)
    return absl::InvalidArgumentError("DW_AT_stmt_list is not an offset");
  LineTable::Unit where = {.offset = offset};
  if (dwarf_attr(unit, DW_AT_comp_dir, &attribute) != nullptr) {
    const bool elsewhere = IsSupplementary(attribute) && !scopes_.has_supplementary();
    if (const char* text = elsewhere ? nullptr : dwarf_formstring(&attribute); text != nullptr)
      where.directory = text;
  }
  const absl::Status status =
      lines_.Read(sections_.lines(), where, limits_.lines,
                  [this](uint64_t address) { return sections_.IsCode(address); });
  statistics_.row_count += lines_.rows_read();
  if (statistics_.row_count > limits_.rows_max)
    return absl::ResourceExhaustedError(base::StrCat("more than ", limits_.rows_max, " rows"));
  return status;
}

}  // namespace

absl::StatusOr<DwarfStatistics> ReadDwarf(const DwarfInput& input, const DwarfLimits& limits,
                                          CodeRangeVisitor visit) {
  FLARE_ASSIGN(const DwarfSections sections,
               DwarfSections::Open(input.file, limits.debug_bytes_max));
  // The order of declaration matters: libdw reads the supplementary file through the main one.
  OpenDwarf supplementary;
  DwarfSections supplementary_sections;
  if (!input.supplementary.empty()) {
    FLARE_ASSIGN(supplementary_sections,
                 DwarfSections::Open(input.supplementary, limits.debug_bytes_max));
    FLARE_ASSIGN(supplementary, OpenInMemory(supplementary_sections.image()));
  }
  FLARE_ASSIGN(const OpenDwarf main, OpenInMemory(sections.image()));
  if (supplementary.dwarf != nullptr)
    dwarf_setalt(main.dwarf.get(), supplementary.dwarf.get());
  DwarfReader reader(sections, limits, supplementary.dwarf != nullptr);
  FLARE_RETURN_IF_ERROR(reader.ReadUnits(main.dwarf.get(), visit));
  return std::move(reader.statistics());
}

}  // namespace flarestack::elf
