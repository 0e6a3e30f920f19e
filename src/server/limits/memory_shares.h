// SPDX-License-Identifier: Apache-2.0
//
// How --memory-limit is divided. Together with the program itself, the parts stay below the limit:
//
//   program | store: caches, write buffers, numbers of known content | bodies | work | not divided
//
// Bodies are requests that are being read or wait for their turn. Work is what they take while they
// are decoded and stored, and what answers take.
#pragma once

#include <algorithm>
#include <cstdint>

namespace flarestack::server {

struct MemoryShares {
  // Code, stacks of threads and the libraries' own tables, whatever the limit is.
  static constexpr uint64_t kProgramBytes = 40 << 20;

  explicit MemoryShares(uint64_t limit_bytes)
      : store_bytes((limit_bytes - std::min(limit_bytes / 2, kProgramBytes)) / 2),
        body_bytes(limit_bytes / 8),
        work_bytes(limit_bytes / 4),
        scratch_bytes(limit_bytes / 16) {}

  uint64_t store_bytes;
  uint64_t body_bytes;
  uint64_t work_bytes;
  uint64_t scratch_bytes;  // of the stores of uploads; also of what is not divided
};

}  // namespace flarestack::server
