// SPDX-License-Identifier: Apache-2.0
//
// The pointers of unwind tables, each encoded as a byte in front of the table says: its low half is
// the format, its high half what the number is relative to (DW_EH_PE_ of the Linux Standard Base).
#pragma once

#include <cstdint>
#include <optional>

#include "elf/byte_cursor.h"

namespace flarestack::elf {

inline constexpr uint8_t kPointerAbsolute = 0x00;
inline constexpr uint8_t kPointerOmitted = 0xff;

struct PointerBases {
  uint64_t cursor_address = 0;           // of position 0 of the cursor, for pcrel
  std::optional<uint64_t> data_address;  // for datarel
};

// Nothing when the encoding is not known, needs a base that is not there, or says that the number
// is the address of the pointer (indirect): that one stands in memory, not in the file. The bytes
// are skipped all the same where their number is known; the cursor tells whether they ended.
std::optional<uint64_t> ReadPointer(uint8_t encoding, const PointerBases& bases, ByteCursor& in);

// The format alone, for a length: never relative to anything.
std::optional<uint64_t> ReadPointerLength(uint8_t encoding, ByteCursor& in);

}  // namespace flarestack::elf
