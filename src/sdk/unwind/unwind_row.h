// SPDX-License-Identifier: Apache-2.0
//
// Unwind rules of a module, made from its .eh_frame before the first sample: a signal handler then
// only searches a sorted array. A row applies from its address to that of the next row.
#pragma once

#include <cstdint>

namespace flarestack::sdk {

enum class CfaRule : uint8_t {
  kNone,          // no rule here: use the frame pointer
  kStackPointer,  // CFA = sp + offset
  kFramePointer,  // CFA = fp + offset
  kSavedAtFrame,  // CFA = *(fp + offset): functions that realign their stack
  kLinkageStub,   // CFA = sp + 8, or sp + 16 from byte `cfa_offset` of each 16 bytes (x86-64)
  kSignalFrame,   // the kernel pushed a frame with all registers
  kOutermost,     // no caller
};

// Where the caller's return address or frame pointer is.
inline constexpr int16_t kSameRegister = INT16_MIN;        // still in its register
inline constexpr int16_t kAtFramePointer = INT16_MIN + 1;  // frame pointer: at the address in it
inline constexpr int16_t kLostRegister = INT16_MIN + 2;    // in a way that a row cannot express

struct UnwindRow {
  uint32_t offset = 0;  // from the first address of the module
  CfaRule cfa = CfaRule::kNone;
  uint8_t unused = 0;
  int16_t return_address = 0;  // offset from the CFA in words, or kSameRegister (arm64)
  int32_t cfa_offset = 0;      // in bytes
  int16_t frame_pointer = kSameRegister;
  int16_t unused2 = 0;
};
static_assert(sizeof(UnwindRow) == 16);

}  // namespace flarestack::sdk
