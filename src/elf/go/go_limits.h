// SPDX-License-Identifier: Apache-2.0
//
// What reading Go's function table may cost. Reaching any of these is kResourceExhausted.
#pragma once

#include <cstdint>

namespace flarestack::elf {

struct GoLimits {
  uint64_t table_bytes_max = uint64_t{256} << 20;  // the largest programs have about a tenth
  uint64_t function_count_max = 4 << 20;
  // Entries of pc-value tables read, ranges and frames visited, and text measured (by 64 bytes).
  // Tables may be shared, so this and not the size of the file bounds the time.
  uint64_t steps_max = uint64_t{1} << 28;
  uint64_t pc_values_max = 2 << 20;  // of one table of one function
  uint64_t inline_depth_max = 256;
  uint64_t relocation_count_max = 8 << 20;
  uint64_t scan_bytes_max = uint64_t{1} << 30;  // where the table must be searched for
};

}  // namespace flarestack::elf
