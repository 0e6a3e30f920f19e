// SPDX-License-Identifier: Apache-2.0
//
// perf-<pid>.map, which JIT compilers write for perf: one "START SIZE name" per line, in
// hexadecimal. Names extend to the end of the line and may contain blanks. Where ranges overlap,
// the later line wins and the rest of the earlier one stays, so that older samples still get a
// name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace flarestack::elf {

class PerfMap {
 public:
  static constexpr uint64_t kLinesMax = 1 << 23;

  struct Range {
    uint64_t begin = 0;
    uint64_t end = 0;  // excluded
    uint32_t name_offset = 0;
    uint32_t name_bytes = 0;
  };

  // Skips and counts lines in another format, because the file may be only partly written. Returns
  // kResourceExhausted above kLinesMax lines or 4 GiB of text.
  static absl::StatusOr<PerfMap> Parse(std::string text);

  // Returns an empty view if no range contains the address. Valid as long as the map is not moved
  // or destroyed.
  std::string_view Find(uint64_t address) const;

  const std::vector<Range>& ranges() const { return ranges_; }  // sorted, disjoint
  std::string_view name(const Range& range) const {
    return std::string_view(text_).substr(range.name_offset, range.name_bytes);
  }
  uint64_t skipped_line_count() const { return skipped_line_count_; }

 private:
  std::string text_;
  std::vector<Range> ranges_;
  uint64_t skipped_line_count_ = 0;
};

}  // namespace flarestack::elf
