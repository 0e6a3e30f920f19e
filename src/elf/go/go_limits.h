// SPDX-License-Identifier: Apache-2.0
//
// Limits on reading Go's function table. Reaching any of them is kResourceExhausted.
#pragma once

#include <cstdint>

namespace flarestack::elf {

struct GoLimits {
  uint64_t table_bytes_max = uint64_t{256} << 20;  // the largest programs need about a tenth
  uint64_t function_count_max = 4 << 20;
  // Counts pc-value table entries read, ranges and frames visited, and text scanned (in units of 64
  // bytes). Tables may be shared, so the time is bounded by this and not by the size of the file.
  uint64_t steps_max = uint64_t{1} << 28;
  uint64_t pc_values_max = 2 << 20;  // per table and function
  uint64_t inline_depth_max = 256;
  uint64_t relocation_count_max = 8 << 20;
  uint64_t scan_bytes_max = uint64_t{1} << 30;  // if the table must be searched for
};

}  // namespace flarestack::elf
