// SPDX-License-Identifier: Apache-2.0
//
// Parses arbitrary text as a perf map: the name at an address is that of the last line that
// contains it.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "elf/jit/perf_map.h"
#include "elf/text_fields.h"

namespace elf = flarestack::elf;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto map = elf::PerfMap::Parse(text);
  FLARE_CHECK(map.ok(), map.status().ToString());
  std::vector<elf::PerfMap> lines;
  uint64_t skipped = 0;
  for (std::string_view rest = text; !rest.empty();) {
    // Restore the line end, because a name may itself end like one.
    lines.push_back(*elf::PerfMap::Parse(std::string(elf::TakeLine(&rest)) + "\r\n"));
    skipped += lines.back().skipped_line_count();
  }
  FLARE_CHECK(map->skipped_line_count() == skipped);
  const auto name_by_lines = [&lines](uint64_t address) {
    for (size_t i = lines.size(); i-- > 0;) {
      if (const std::string_view name = lines[i].Find(address); !name.empty())
        return name;
    }
    return std::string_view();
  };
  uint64_t end = 0;
  for (const elf::PerfMap::Range& range : map->ranges()) {
    FLARE_CHECK(range.begin >= end && range.end > range.begin);
    end = range.end;
    for (const uint64_t address : {range.begin, range.end - 1, range.end})
      FLARE_CHECK(map->Find(address) == name_by_lines(address), address);
  }
  for (const elf::PerfMap& line : lines) {
    for (const elf::PerfMap::Range& range : line.ranges())
      FLARE_CHECK(!map->Find(range.begin).empty());
  }
  return 0;
}
