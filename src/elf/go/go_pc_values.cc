// SPDX-License-Identifier: Apache-2.0
#include "elf/go/go_pc_values.h"

#include <algorithm>

#include "base/byte_reader.h"
#include "elf/byte_cursor.h"

namespace flarestack::elf {

bool GoPcValues::Read(const GoTable& table, uint32_t offset, uint64_t size, uint64_t entries_max) {
  entries_.clear();
  if (offset == 0 || offset > table.bytes.size() - table.pc_values_offset)
    return true;
  ByteCursor in(table.bytes, table.pc_values_offset + offset);
  int64_t value = -1;
  uint64_t end = 0;
  for (uint64_t count = 0; end < size; ++count) {
    const uint64_t difference = in.Uleb();
    // A zero ends the table, except at its start, where the first value may be -1.
    if (!in.ok() || difference > UINT32_MAX || (difference == 0 && count > 0))
      return true;
    value += base::UnZigZag(difference);
    const uint64_t advance = in.Uleb();
    if (!in.ok() || advance > UINT32_MAX || value < INT32_MIN || value > INT32_MAX)
      return true;
    if (count >= entries_max)
      return false;
    end += advance * table.quantum;
    entries_.push_back({.end = std::min(end, size), .value = value});
  }
  return true;
}

int64_t GoPcValues::At(uint64_t offset) const {
  const auto found =
      std::upper_bound(entries_.begin(), entries_.end(), offset,
                       [](uint64_t at, const GoPcValue& entry) { return at < entry.end; });
  return found == entries_.end() ? -1 : found->value;
}

}  // namespace flarestack::elf
