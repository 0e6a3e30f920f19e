// SPDX-License-Identifier: Apache-2.0
#include "elf/go/go_module_data.h"

#include <elf.h>

#include <algorithm>

#include "base/text/text.h"

namespace flarestack::elf {
namespace {

constexpr uint64_t kTableAlignment = 8;

// Word indexes in moduledata: pointers to parts of the table, each the first of a slice's three
// words.
constexpr uint64_t kNamesWord = 1;
constexpr uint64_t kUnitsWord = 4;
constexpr uint64_t kFilesWord = 7;
constexpr uint64_t kPcValuesWord = 10;
constexpr uint64_t kFunctionsWord = 13;
constexpr uint64_t kTextWord = 22;

// Go 1.20 added coverage counters, which moved the fields after them.
constexpr uint64_t kFuncDataWord118 = 38;
constexpr uint64_t kFuncDataWord120 = 40;

// True if there is a table at `offset` that is valid beyond its first eight bytes.
bool IsTableAt(std::string_view bytes, uint64_t offset, const GoLimits& limits) {
  const std::string_view rest = bytes.substr(static_cast<size_t>(offset));
  return LooksLikeGoTable(rest) &&
         ReadGoTable(rest.substr(0, static_cast<size_t>(limits.table_bytes_max)), limits).ok();
}

bool PointsInto(const GoImage& image, uint64_t module, uint64_t word, uint64_t expected) {
  return image.PointerAt(module + word * 8) == expected;
}

std::optional<GoModuleData> ReadModuleAt(const GoImage& image, uint64_t module,
                                         const GoTablePlace& place, const GoTable& table) {
  if (module > UINT64_MAX - kFuncDataWord120 * 8 || !PointsInto(image, module, 0, place.address) ||
      !PointsInto(image, module, kNamesWord, place.address + table.names_offset) ||
      !PointsInto(image, module, kUnitsWord, place.address + table.units_offset) ||
      !PointsInto(image, module, kFilesWord, place.address + table.files_offset) ||
      !PointsInto(image, module, kPcValuesWord, place.address + table.pc_values_offset) ||
      !PointsInto(image, module, kFunctionsWord, place.address + table.functions_offset))
    return std::nullopt;
  const std::optional<uint64_t> text = image.PointerAt(module + kTextWord * 8);
  if (!text)
    return std::nullopt;
  GoModuleData data = {.text_start = *text};
  if (table.version >= GoTableVersion::kGo118) {
    const uint64_t word =
        table.version == GoTableVersion::kGo118 ? kFuncDataWord118 : kFuncDataWord120;
    const std::optional<uint64_t> func_data = image.PointerAt(module + word * 8);
    if (func_data && !image.BytesAt(*func_data).empty())
      data.func_data = func_data;
  }
  return data;
}

}  // namespace

absl::StatusOr<GoTablePlace> FindGoTable(const GoImage& image, const GoLimits& limits) {
  for (const std::string_view name : {".gopclntab", ".data.rel.ro.gopclntab"}) {
    const Section* section = image.file().FindSection(name);
    if (section == nullptr)
      continue;
    const std::string_view bytes = image.file().SectionBytes(*section);
    if (!bytes.empty())
      return GoTablePlace{.address = section->address, .bytes = bytes};
  }
  uint64_t scanned = 0;
  for (const Segment& segment : image.file().segments()) {
    if (segment.type != PT_LOAD)
      continue;
    const std::string_view bytes = image.file().SegmentBytes(segment);
    for (uint64_t at = 0; at + kTableAlignment <= bytes.size(); at += kTableAlignment) {
      scanned += kTableAlignment;
      if (scanned > limits.scan_bytes_max)
        return absl::ResourceExhaustedError(
            base::StrCat("no Go function table in the first ", limits.scan_bytes_max, " bytes"));
      // The last byte of the magic quickly rules out most words.
      if (bytes[static_cast<size_t>(at) + 3] != '\xff' || !IsTableAt(bytes, at, limits))
        continue;
      const std::string_view rest = bytes.substr(static_cast<size_t>(at));
      return GoTablePlace{.address = segment.address + at,
                          .bytes = rest.substr(0, static_cast<size_t>(limits.table_bytes_max))};
    }
  }
  return absl::NotFoundError("no Go function table");
}

std::optional<GoModuleData> FindGoModuleData(const GoImage& image, const GoTablePlace& place,
                                             const GoTable& table, const GoLimits& limits) {
  if (table.version == GoTableVersion::kGo12)
    return std::nullopt;
  if (const Section* section = image.file().FindSection(".go.module"); section != nullptr) {
    if (auto data = ReadModuleAt(image, section->address, place, table))
      return data;
  }
  for (const uint64_t module : image.PlacesOf(place.address, limits)) {
    if (auto data = ReadModuleAt(image, module, place, table))
      return data;
  }
  return std::nullopt;
}

}  // namespace flarestack::elf
