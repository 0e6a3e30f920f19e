// SPDX-License-Identifier: Apache-2.0
//
// Memory of this machine, from which server limits get their defaults.
#pragma once

#include <unistd.h>

#include <cstdint>

namespace flarestack::cli {

inline uint64_t MachineMemoryBytes() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && page_bytes > 0
             ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(page_bytes)
             : uint64_t{8} << 30;
}

}  // namespace flarestack::cli
