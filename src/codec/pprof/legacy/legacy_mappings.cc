// SPDX-License-Identifier: Apache-2.0
#include "codec/pprof/legacy/legacy_mappings.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "codec/pprof/legacy/legacy_text.h"

namespace flarestack::codec::pprof::legacy {
namespace {

struct Range {
  uint64_t start = 0;
  uint64_t limit = 0;  // exclusive
  uint32_t mapping = 0;
};

bool AgreeWhereKnown(std::string_view a, std::string_view b) {
  return a.empty() || b.empty() || a == b;
}

// Whether `next` continues where `mapping` ends. The kernel lists one file as several mappings if
// permissions differ.
bool IsContinuedBy(const Mapping& mapping, const Mapping& next) {
  if (mapping.memory_limit != next.memory_start ||
      !AgreeWhereKnown(mapping.filename, next.filename) ||
      !AgreeWhereKnown(mapping.build_id, next.build_id)) {
    return false;
  }
  if (mapping.file_offset == 0 || next.file_offset == 0) {
    return true;  // an offset of 0 may mean unknown
  }
  const uint64_t size = mapping.memory_limit - mapping.memory_start;
  return mapping.file_offset + size == next.file_offset;
}

void JoinAdjacent(std::vector<Mapping>& mappings) {
  std::vector<Mapping> joined;
  for (const Mapping& mapping : mappings) {
    if (joined.empty() || !IsContinuedBy(joined.back(), mapping)) {
      joined.push_back(mapping);
      continue;
    }
    Mapping& last = joined.back();
    last.memory_limit = mapping.memory_limit;
    last.filename = mapping.filename.empty() ? last.filename : mapping.filename;
    last.build_id = mapping.build_id.empty() ? last.build_id : mapping.build_id;
  }
  mappings = std::move(joined);
}

// "libc.so", "libc.so.6", "libc.so_2": ".so" at the end, or before a dot or underscore and a digit.
bool IsSharedLibrary(std::string_view filename) {
  for (size_t at = filename.find(".so"); at != std::string_view::npos;
       at = filename.find(".so", at + 1)) {
    const std::string_view after = filename.substr(at + 3);
    if (after.empty()) {
      return true;
    }
    if (after.size() > 1 && (after[0] == '.' || after[0] == '_') && after[1] >= '0' &&
        after[1] <= '9') {
      return true;
    }
  }
  return false;
}

bool LooksLikeMainBinary(std::string_view filename) {
  constexpr std::string_view kDeleted = "(deleted)";
  filename = Trim(filename);
  if (filename.ends_with(kDeleted)) {
    filename = Trim(filename.substr(0, filename.size() - kDeleted.size()));
  }
  return !filename.empty() && filename.front() != '[' && !IsSharedLibrary(filename);
}

// pprof assumes that the first mapping is the main binary.
void MoveMainBinaryFirst(std::vector<Mapping>& mappings) {
  const auto main = std::find_if(mappings.begin(), mappings.end(), [](const Mapping& mapping) {
    return LooksLikeMainBinary(mapping.filename);
  });
  if (main != mappings.end()) {
    std::swap(mappings.front(), *main);
  }
}

// Some profilers list a wrong start for a main binary whose text was moved to huge pages.
void RepairMainBinary(std::vector<Mapping>& mappings) {
  constexpr uint64_t kUsualStart = 0x400000;  // of a non-PIE x86-64 program
  if (mappings.size() > 1 && mappings[0].filename.starts_with("/anon_hugepage") &&
      mappings[0].memory_limit == mappings[1].memory_start) {
    mappings.erase(mappings.begin());
  }
  if (!mappings.empty() && mappings[0].memory_start - mappings[0].file_offset == kUsualStart) {
    mappings[0].memory_start = kUsualStart;
    mappings[0].file_offset = 0;
  }
}

// For each location of `by_address` (sorted by address), finds the mapping of the first range, in
// the order of the mappings, that covers it, and removes the covered locations from `by_address`.
// Uses one sweep, because a hostile memory map could have as many ranges as there are locations,
// all overlapping.
template <typename Found>
void TakeCovered(std::vector<Range> ranges, const std::vector<Location>& locations,
                 std::vector<uint32_t>& by_address, Found found) {
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.start < b.start; });
  const auto later_mapping = [](const Range& a, const Range& b) { return a.mapping > b.mapping; };
  std::priority_queue<Range, std::vector<Range>, decltype(later_mapping)> open(later_mapping);
  size_t next = 0;
  std::erase_if(by_address, [&](uint32_t position) {
    const uint64_t address = locations[position].address;
    for (; next < ranges.size() && ranges[next].start <= address; ++next) {
      open.push(ranges[next]);
    }
    while (!open.empty() && open.top().limit <= address) {
      open.pop();
    }
    if (open.empty()) {
      return false;
    }
    found(position, open.top().mapping);
    return true;
  });
}

std::vector<uint32_t> AddressedLocations(const std::vector<Location>& locations) {
  std::vector<uint32_t> positions;
  for (uint32_t i = 0; i < locations.size(); ++i) {
    if (locations[i].address != 0) {
      positions.push_back(i);
    }
  }
  std::sort(positions.begin(), positions.end(),
            [&](uint32_t a, uint32_t b) { return locations[a].address < locations[b].address; });
  return positions;
}

// A profiler may list only the executable part of a file. A location between the computed start of
// the file and that part shows that the mapping is longer than listed. google/pprof does this one
// location at a time, so the order of the locations decides where an extended mapping covers
// another, and whether the mapping without a name, once it exists, gets the location first. Here
// the order does not matter.
void ExtendToFileStart(Profile* profile, std::vector<uint32_t>& by_address) {
  std::vector<Range> before;
  for (uint32_t i = 0; i < profile->mappings.size(); ++i) {
    const Mapping& mapping = profile->mappings[i];
    if (mapping.file_offset != 0 && mapping.file_offset <= mapping.memory_start) {
      before.push_back({mapping.memory_start - mapping.file_offset, mapping.memory_start, i});
    }
  }
  TakeCovered(std::move(before), profile->locations, by_address,
              [&](uint32_t location, uint32_t position) {
                Mapping& mapping = profile->mappings[position];
                mapping.memory_start -= mapping.file_offset;
                mapping.file_offset = 0;
                profile->locations[location].mapping = position;
              });
}

// A mapping has functions if nothing is left to symbolize in it; the same applies to files and
// lines.
void MarkSymbolized(Profile* profile) {
  for (const Location& location : profile->locations) {
    if (location.mapping != kNoMapping && !location.lines.empty()) {
      Mapping& mapping = profile->mappings[location.mapping];
      mapping.has_functions = mapping.has_filenames = mapping.has_line_numbers = true;
    }
  }
  for (const Location& location : profile->locations) {
    if (location.mapping == kNoMapping) {
      continue;
    }
    Mapping& mapping = profile->mappings[location.mapping];
    bool has_files = !location.lines.empty();
    bool has_numbers = has_files;
    for (const Line& line : model::In(profile->lines, location.lines)) {
      has_files = has_files && !profile->functions[line.function].filename.empty();
      has_numbers = has_numbers && line.line > 0;
    }
    mapping.has_functions = mapping.has_functions && !location.lines.empty();
    mapping.has_filenames = mapping.has_filenames && has_files;
    mapping.has_line_numbers = mapping.has_line_numbers && has_numbers;
    // Only Go writes lines for locations in mappings, and it includes inlined frames.
    mapping.has_inline_frames = mapping.has_line_numbers;
  }
}

}  // namespace

void AssignMappings(Profile* profile) {
  std::vector<Mapping>& mappings = profile->mappings;
  JoinAdjacent(mappings);
  MoveMainBinaryFirst(mappings);
  RepairMainBinary(mappings);

  std::vector<uint32_t> by_address = AddressedLocations(profile->locations);
  std::vector<Range> ranges;
  for (uint32_t i = 0; i < mappings.size(); ++i) {
    ranges.push_back({mappings[i].memory_start, mappings[i].memory_limit, i});
  }
  TakeCovered(std::move(ranges), profile->locations, by_address,
              [&](uint32_t location, uint32_t position) {
                profile->locations[location].mapping = position;
              });
  ExtendToFileStart(profile, by_address);
  if (!by_address.empty()) {
    const uint32_t unnamed = static_cast<uint32_t>(mappings.size());
    mappings.emplace_back().memory_limit = std::numeric_limits<uint64_t>::max();
    for (const uint32_t position : by_address) {
      profile->locations[position].mapping = unnamed;
    }
  }
  for (size_t i = 0; i < mappings.size(); ++i) {
    mappings[i].id = i + 1;
  }
  MarkSymbolized(profile);
}

}  // namespace flarestack::codec::pprof::legacy
