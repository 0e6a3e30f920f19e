// SPDX-License-Identifier: Apache-2.0
//
// Recognizes HotSpot's library, usually libjvm.so, by the variables it exports for debuggers.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "elf/elf_file.h"
#include "record/runtime/java/vm_structs.h"

namespace flarestack::record::runtime {

// Returns the virtual addresses of the variables in the file, or kNotFound if it is not HotSpot.
absl::StatusOr<VmTables> ReadJavaFile(const elf::ElfFile& file);

}  // namespace flarestack::record::runtime
