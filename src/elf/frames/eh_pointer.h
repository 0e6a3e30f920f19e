// SPDX-License-Identifier: Apache-2.0
//
// Pointers in unwind tables. An encoding byte precedes the table: its low half is the format, its
// high half the base of the number (DW_EH_PE_ of the Linux Standard Base).
#pragma once

#include <cstdint>
#include <optional>

#include "elf/byte_cursor.h"

namespace flarestack::elf {

inline constexpr uint8_t kPointerAbsolute = 0x00;
inline constexpr uint8_t kPointerOmitted = 0xff;

struct PointerBases {
  uint64_t cursor_address = 0;           // of the cursor's position 0, for pcrel
  std::optional<uint64_t> data_address;  // for datarel
};

// Returns nullopt if the encoding is unknown, if it needs a missing base, or if it is indirect:
// then the pointer itself is in memory, not in the file. The bytes are skipped anyway if their
// number is known; the cursor reports whether they were complete.
std::optional<uint64_t> ReadPointer(uint8_t encoding, const PointerBases& bases, ByteCursor& in);

// Reads a length: uses only the format, never a base.
std::optional<uint64_t> ReadPointerLength(uint8_t encoding, ByteCursor& in);

}  // namespace flarestack::elf
