// SPDX-License-Identifier: Apache-2.0
//
// perf-<pid>.map, which JIT compilers write for perf: one "START SIZE name" per line, in
// hexadecimal. Names extend to the end of the line and may contain blanks. Where ranges overlap,
// the later line wins and the rest of the earlier one stays, so that older samples still get a
// name.
//
// The file grows while the program runs, so the map is built from pieces of text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/btree_map.h"

namespace flarestack::elf {

class PerfMap {
 public:
  static constexpr size_t kNameBytesMax = 1024;  // longer names are cut

  struct Limits {
    size_t ranges_max = 1 << 20;
    size_t bytes_max = size_t{64} << 20;  // of ranges and names
  };

  struct Range {
    uint64_t end = 0;  // excluded
    std::string name;  // not empty, without NUL; may be invalid UTF-8
  };
  using Ranges = absl::btree_map<uint64_t, Range>;  // by begin, disjoint

  explicit PerfMap(const Limits& limits) : limits_(limits) {}
  PerfMap() : PerfMap(Limits()) {}

  // Adds the text that follows the text of earlier calls. A last line without its end waits for the
  // rest. Skips and counts lines in another format. At a limit, new lines get no range, but still
  // remove the ranges that they replace.
  void Append(std::string_view text);

  // Adds the last line even if it has no end. Call at the end of a file that does not grow.
  void Finish();

  // Returns an empty view if no range contains the address. Valid until the map is changed.
  std::string_view Find(uint64_t address) const;

  const Ranges& ranges() const { return ranges_; }
  size_t bytes() const { return bytes_; }
  uint64_t skipped_line_count() const { return skipped_line_count_; }
  uint64_t dropped_line_count() const { return dropped_line_count_; }  // at a limit

 private:
  void AddLine(std::string_view line);
  void Put(uint64_t begin, uint64_t end, std::string_view name);
  void SplitAt(uint64_t address);
  void Erase(Ranges::iterator first, Ranges::iterator last);
  void Insert(uint64_t begin, uint64_t end, std::string_view name);
  void KeepPart(std::string_view part);

  Limits limits_;
  Ranges ranges_;
  size_t bytes_ = 0;
  std::string part_;  // the begin of a line whose end is not known yet
  uint64_t skipped_line_count_ = 0;
  uint64_t dropped_line_count_ = 0;
};

}  // namespace flarestack::elf
