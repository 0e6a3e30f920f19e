// SPDX-License-Identifier: Apache-2.0
//
// Parses arbitrary text as a perf map, at once and in pieces: both are equal, and the name at an
// address is that of the last line that contains it.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "elf/jit/perf_map.h"

namespace elf = flarestack::elf;

namespace {

elf::PerfMap Parse(std::string_view text, size_t piece_bytes) {
  elf::PerfMap map;
  for (; !text.empty(); text.remove_prefix(std::min(piece_bytes, text.size())))
    map.Append(text.substr(0, piece_bytes));
  map.Finish();
  return map;
}

void CheckLimits(std::string_view text) {
  const elf::PerfMap::Limits limits = {.ranges_max = 8, .bytes_max = 8000};
  elf::PerfMap map(limits);
  map.Append(text);
  FLARE_CHECK(map.ranges().size() <= limits.ranges_max && map.bytes() <= limits.bytes_max);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const elf::PerfMap map = Parse(text, text.size());
  const elf::PerfMap pieces = Parse(text, 1 + size % 7);
  FLARE_CHECK(std::ranges::equal(map.ranges(), pieces.ranges(), [](const auto& a, const auto& b) {
    return a.first == b.first && a.second.end == b.second.end && a.second.name == b.second.name;
  }));
  FLARE_CHECK(map.skipped_line_count() == pieces.skipped_line_count());
  CheckLimits(text);
  std::vector<elf::PerfMap> lines;
  for (size_t at = 0; at < size;) {
    const size_t end = std::min(text.find('\n', at), size - 1);
    lines.push_back(Parse(text.substr(at, end + 1 - at), size));
    at = end + 1;
  }
  const auto name_by_lines = [&lines](uint64_t address) {
    for (size_t i = lines.size(); i-- > 0;) {
      if (const std::string_view name = lines[i].Find(address); !name.empty())
        return name;
    }
    return std::string_view();
  };
  uint64_t last = 0;
  for (const auto& [begin, range] : map.ranges()) {
    FLARE_CHECK(begin >= last && range.end > begin && !range.name.empty());
    last = range.end;
    for (const uint64_t address : {begin, range.end - 1, range.end})
      FLARE_CHECK(map.Find(address) == name_by_lines(address), address);
  }
  for (const elf::PerfMap& line : lines) {
    for (const auto& [begin, range] : line.ranges())
      FLARE_CHECK(!map.Find(begin).empty());
  }
  return 0;
}
