// SPDX-License-Identifier: Apache-2.0
//
// Decodes the length of all x86-64 instructions that compilers emit, and the effect of those that
// concern the stack. Operands of other instructions are skipped.
#pragma once

#include <cstdint>
#include <string_view>

#include "record/unwind/instruction.h"

namespace flarestack::record::unwind {

Instruction DecodeX86(std::string_view bytes, uint64_t address);

}  // namespace flarestack::record::unwind
