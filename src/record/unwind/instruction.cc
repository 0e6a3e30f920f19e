// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/instruction.h"

#include "record/unwind/arm64_instruction.h"
#include "record/unwind/x86_instruction.h"

namespace flarestack::record::unwind {

Instruction DecodeInstruction(Machine machine, std::string_view bytes, uint64_t address) {
  return machine == Machine::kX86_64 ? DecodeX86(bytes, address) : DecodeArm64(bytes, address);
}

}  // namespace flarestack::record::unwind
