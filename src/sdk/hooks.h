// SPDX-License-Identifier: Apache-2.0
//
// Functions that the library defines in place of those of libc. A program that is linked without
// them, such as a unit test, has no such hooks: these functions are null then.
#pragma once

namespace flarestack::sdk {

// Whether malloc() of the program is ours: not if an allocator is linked statically, or loaded
// before us.
__attribute__((weak)) bool AllocationHooksWork();

// Whether pthread_create() of the program is ours. If not, threads are found by scanning.
__attribute__((weak)) bool ThreadHooksWork();

}  // namespace flarestack::sdk
