// SPDX-License-Identifier: Apache-2.0
//
// A pc-value table of one function: maps address ranges to a number, which is a line, a file or an
// entry of the inline tree. It is stored as differences of values and of addresses.
#pragma once

#include <cstdint>
#include <vector>

#include "elf/go/go_pclntab_layout.h"

namespace flarestack::elf {

struct GoPcValue {
  uint64_t end = 0;  // offset from the entry of the function, exclusive
  int64_t value = -1;
};

class GoPcValues {
 public:
  // Reads the table at an offset; 0 means none. Corruption ends the table at that point. Entries
  // beyond `size`, the bytes of the function, are dropped. Returns false if there are more than
  // `entries_max`.
  bool Read(const GoTable& table, uint32_t offset, uint64_t size, uint64_t entries_max);

  // Returns -1 if the table has no value for the offset.
  int64_t At(uint64_t offset) const;

  const std::vector<GoPcValue>& entries() const { return entries_; }

 private:
  std::vector<GoPcValue> entries_;  // ascending ends
};

}  // namespace flarestack::elf
