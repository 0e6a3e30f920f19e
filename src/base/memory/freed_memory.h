// SPDX-License-Identifier: Apache-2.0
//
// Controls what happens to freed memory. The C library returns large blocks to the system at once.
// A response that needs tens of megabytes for a few milliseconds then spends much of its time on
// page faults. A server keeps such blocks for the next response instead, and periodically returns
// unused memory.
#pragma once

#include <cstdint>

namespace flarestack::base {

// Applies to the whole process; call it before starting threads. The lower the memory limit, the
// less memory is kept.
void KeepFreedMemory(uint64_t limit_bytes);

void GiveFreedMemoryBack();

}  // namespace flarestack::base
