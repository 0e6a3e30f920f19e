// SPDX-License-Identifier: Apache-2.0
//
// What becomes of memory that was freed. The C library gives large blocks back to the system at
// once, and an answer that takes some tens of megabytes for some milliseconds then spends a good
// part of these on page faults. A server keeps them for the next answer instead, and gives back
// what was not needed every now and then.
#pragma once

#include <cstdint>

namespace flarestack::base {

// For the whole process, before it starts threads. Where all memory has a limit, little of it is
// kept.
void KeepFreedMemory(uint64_t limit_bytes);

void GiveFreedMemoryBack();

}  // namespace flarestack::base
