// SPDX-License-Identifier: Apache-2.0
//
// Decodes the arm64 instructions that affect the stack or control flow. All are four bytes long.
#pragma once

#include <cstdint>
#include <string_view>

#include "record/unwind/instruction.h"

namespace flarestack::record::unwind {

Instruction DecodeArm64(std::string_view bytes, uint64_t address);

}  // namespace flarestack::record::unwind
