// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/rows/row.h"

#include <elf.h>

namespace flarestack::record::unwind {

std::optional<Machine> MachineOf(uint16_t elf_machine) {
  switch (elf_machine) {
    case EM_X86_64:
      return Machine::kX86_64;
    case EM_AARCH64:
      return Machine::kArm64;
    default:
      return std::nullopt;
  }
}

}  // namespace flarestack::record::unwind
