// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace flarestack::sdk {

// The memory at an address of this process that comes from a register, a stack or the loader.
template <typename T>
const T* MemoryAt(uintptr_t address) {
  return reinterpret_cast<const T*>(address);  // NOLINT(performance-no-int-to-ptr): not ours
}

}  // namespace flarestack::sdk
