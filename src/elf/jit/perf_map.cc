// SPDX-License-Identifier: Apache-2.0
#include "elf/jit/perf_map.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "elf/text_fields.h"

namespace flarestack::elf {
namespace {

// Two numbers and a name of the longest kind, with room for blanks.
constexpr size_t kLineBytesMax = 4096;
constexpr size_t kRangeBytes = sizeof(uint64_t) + sizeof(PerfMap::Range);

std::string_view WithoutBlanksBefore(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

}  // namespace

void PerfMap::Append(std::string_view text) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      KeepPart(text);
      return;
    }
    if (part_.empty()) {
      AddLine(text.substr(0, end));
    } else {
      KeepPart(text.substr(0, end));
      Finish();
    }
    text.remove_prefix(end + 1);
  }
}

void PerfMap::Finish() {
  const std::string line = std::exchange(part_, {});
  AddLine(line);
}

void PerfMap::KeepPart(std::string_view part) {
  part_ += part.substr(0, kLineBytesMax - std::min(kLineBytesMax, part_.size()));
}

void PerfMap::AddLine(std::string_view line) {
  line = line.substr(0, kLineBytesMax);
  if (line.ends_with('\r'))
    line.remove_suffix(1);
  if (line.empty())
    return;
  const std::optional<uint64_t> begin = ParseNumber(TakeWord(&line), 16);
  const std::optional<uint64_t> size_bytes = ParseNumber(TakeWord(&line), 16);
  std::string_view name = WithoutBlanksBefore(line);
  name = name.substr(0, std::min(name.find('\0'), kNameBytesMax));
  uint64_t end = 0;
  if (!begin.has_value() || !size_bytes.has_value() || *size_bytes == 0 || name.empty() ||
      __builtin_add_overflow(*begin, *size_bytes, &end)) {
    ++skipped_line_count_;
    return;
  }
  Put(*begin, end, name);
}

void PerfMap::Put(uint64_t begin, uint64_t end, std::string_view name) {
  // Splitting adds up to two ranges, with names of their own.
  const size_t bytes_needed = 3 * (kRangeBytes + kNameBytesMax);
  const bool is_full = ranges_.size() + 3 > limits_.ranges_max ||
                       bytes_needed > limits_.bytes_max - std::min(limits_.bytes_max, bytes_);
  if (is_full) {
    ++dropped_line_count_;
    auto first = ranges_.lower_bound(begin);
    if (first != ranges_.begin() && std::prev(first)->second.end > begin)
      --first;
    Erase(first, ranges_.lower_bound(end));
    return;
  }
  SplitAt(begin);
  SplitAt(end);
  Erase(ranges_.lower_bound(begin), ranges_.lower_bound(end));
  Insert(begin, end, name);
}

// Splits the range that contains this address in its interior.
void PerfMap::SplitAt(uint64_t address) {
  const auto after = ranges_.lower_bound(address);
  if (after == ranges_.begin() || std::prev(after)->second.end <= address)
    return;
  Range& before = std::prev(after)->second;
  const Range behind = before;
  before.end = address;
  Insert(address, behind.end, behind.name);
}

void PerfMap::Erase(Ranges::iterator first, Ranges::iterator last) {
  for (auto at = first; at != last; ++at)
    bytes_ -= kRangeBytes + at->second.name.size();
  ranges_.erase(first, last);
}

void PerfMap::Insert(uint64_t begin, uint64_t end, std::string_view name) {
  bytes_ += kRangeBytes + name.size();
  ranges_[begin] = {.end = end, .name = std::string(name)};
}

std::string_view PerfMap::Find(uint64_t address) const {
  const auto after = ranges_.upper_bound(address);
  if (after == ranges_.begin() || address >= std::prev(after)->second.end)
    return {};
  return std::prev(after)->second.name;
}

}  // namespace flarestack::elf
