// SPDX-License-Identifier: Apache-2.0
//
// Lengths of all instructions of x86-64 that compilers emit, and what those do that concern the
// stack. Operands of the others are skipped, not read.
#pragma once

#include <cstdint>
#include <string_view>

#include "record/unwind/instruction.h"

namespace flarestack::record::unwind {

Instruction DecodeX86(std::string_view bytes, uint64_t address);

}  // namespace flarestack::record::unwind
