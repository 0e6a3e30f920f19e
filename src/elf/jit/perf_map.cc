// SPDX-License-Identifier: Apache-2.0
#include "elf/jit/perf_map.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "base/text.h"
#include "elf/text_fields.h"

namespace flarestack::elf {
namespace {

struct NamedEnd {
  uint64_t end = 0;
  uint32_t name_offset = 0;
  uint32_t name_bytes = 0;
};

std::optional<PerfMap::Range> ParseRange(std::string_view text, std::string_view line) {
  const auto begin = ParseNumber(TakeWord(&line), 16);
  const auto size_bytes = ParseNumber(TakeWord(&line), 16);
  const size_t first = line.find_first_not_of(" \t");
  PerfMap::Range range;
  if (!begin.has_value() || !size_bytes.has_value() || *size_bytes == 0 ||
      first == std::string_view::npos || __builtin_add_overflow(*begin, *size_bytes, &range.end))
    return std::nullopt;
  const std::string_view name = line.substr(first);
  range.begin = *begin;
  range.name_offset = static_cast<uint32_t>(name.data() - text.data());
  range.name_bytes = static_cast<uint32_t>(name.size());
  return range;
}

// Disjoint ranges, ordered by begin.
class Overlay {
 public:
  void Put(const PerfMap::Range& range) {
    SplitAt(range.begin);
    SplitAt(range.end);
    ranges_.erase(ranges_.lower_bound(range.begin), ranges_.lower_bound(range.end));
    ranges_[range.begin] = {
        .end = range.end, .name_offset = range.name_offset, .name_bytes = range.name_bytes};
  }

  std::vector<PerfMap::Range> List() const {
    std::vector<PerfMap::Range> list;
    list.reserve(ranges_.size());
    for (const auto& [begin, range] : ranges_)
      list.push_back({.begin = begin,
                      .end = range.end,
                      .name_offset = range.name_offset,
                      .name_bytes = range.name_bytes});
    return list;
  }

 private:
  // Splits the range that contains this address in its interior.
  void SplitAt(uint64_t address) {
    const auto after = ranges_.lower_bound(address);
    if (after == ranges_.begin() || std::prev(after)->second.end <= address)
      return;
    NamedEnd& before = std::prev(after)->second;
    const NamedEnd behind = before;
    before.end = address;
    ranges_.emplace_hint(after, address, behind);
  }

  std::map<uint64_t, NamedEnd> ranges_;
};

}  // namespace

absl::StatusOr<PerfMap> PerfMap::Parse(std::string text) {
  if (text.size() >= UINT32_MAX)
    return absl::ResourceExhaustedError(
        base::StrCat("a perf map of ", text.size(), " bytes, the limit is 4 GiB"));
  PerfMap map;
  map.text_ = std::move(text);
  Overlay overlay;
  std::string_view rest = map.text_;
  for (uint64_t line_count = 0; !rest.empty(); ++line_count) {
    if (line_count == kLinesMax)
      return absl::ResourceExhaustedError(
          base::StrCat("a perf map of more than ", kLinesMax, " lines"));
    const std::string_view line = TakeLine(&rest);
    if (line.empty())
      continue;
    if (const std::optional<Range> range = ParseRange(map.text_, line); range.has_value())
      overlay.Put(*range);
    else
      ++map.skipped_line_count_;
  }
  map.ranges_ = overlay.List();
  return map;
}

std::string_view PerfMap::Find(uint64_t address) const {
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                      [](uint64_t a, const Range& r) { return a < r.begin; });
  if (after == ranges_.begin() || address >= std::prev(after)->end)
    return {};
  return name(*std::prev(after));
}

}  // namespace flarestack::elf
