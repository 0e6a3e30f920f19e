// SPDX-License-Identifier: Apache-2.0
//
// Divides --memory-limit. The program and all shares together stay below the limit:
//
//   program | store: caches, write buffers, numbers of known content | bodies | work | not divided
//
// Bodies are requests being read or waiting in a queue. Work is the memory for decoding and storing
// them, and for responses.
#pragma once

#include <algorithm>
#include <cstdint>

namespace flarestack::server {

struct MemoryShares {
  // Code, thread stacks and tables of libraries. Independent of the limit.
  static constexpr uint64_t kProgramBytes = 40 << 20;

  explicit MemoryShares(uint64_t limit_bytes)
      : store_bytes((limit_bytes - std::min(limit_bytes / 2, kProgramBytes)) / 2),
        body_bytes(limit_bytes / 8),
        work_bytes(limit_bytes / 4),
        scratch_bytes(limit_bytes / 16) {}

  uint64_t store_bytes;
  uint64_t body_bytes;
  uint64_t work_bytes;
  uint64_t scratch_bytes;  // for the stores of uploads; part of the undivided rest
};

}  // namespace flarestack::server
