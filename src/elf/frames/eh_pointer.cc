// SPDX-License-Identifier: Apache-2.0
#include "elf/frames/eh_pointer.h"

namespace flarestack::elf {
namespace {

constexpr uint8_t kFormatMask = 0x0f;
constexpr uint8_t kBaseMask = 0x70;
constexpr uint8_t kIndirect = 0x80;

enum Format : uint8_t {
  kAbsptr = 0x00,
  kUleb = 0x01,
  kUdata2 = 0x02,
  kUdata4 = 0x03,
  kUdata8 = 0x04,
  kSleb = 0x09,
  kSdata2 = 0x0a,
  kSdata4 = 0x0b,
  kSdata8 = 0x0c,
};

enum Base : uint8_t { kAbsolute = 0x00, kPcRelative = 0x10, kDataRelative = 0x30 };

template <typename T>
uint64_t SignExtended(ByteCursor& in) {
  return static_cast<uint64_t>(int64_t{in.Number<T>()});
}

std::optional<uint64_t> ReadFormat(uint8_t format, ByteCursor& in) {
  switch (format) {
    case kAbsptr:
    case kUdata8:
    case kSdata8:
      return in.U64();
    case kUleb:
      return in.Uleb();
    case kUdata2:
      return in.U16();
    case kUdata4:
      return in.U32();
    case kSleb:
      return static_cast<uint64_t>(in.Sleb());
    case kSdata2:
      return SignExtended<int16_t>(in);
    case kSdata4:
      return SignExtended<int32_t>(in);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<uint64_t> ReadPointer(uint8_t encoding, const PointerBases& bases, ByteCursor& in) {
  if (encoding == kPointerOmitted)
    return std::nullopt;
  const uint64_t here = bases.cursor_address + in.position();
  const std::optional<uint64_t> number = ReadFormat(encoding & kFormatMask, in);
  if (!number.has_value() || !in.ok() || (encoding & kIndirect) != 0)
    return std::nullopt;
  // Sums wrap around: this is how offsets below the base are encoded.
  switch (encoding & kBaseMask) {
    case kAbsolute:
      return *number;
    case kPcRelative:
      return here + *number;
    case kDataRelative:
      if (bases.data_address.has_value())
        return *bases.data_address + *number;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<uint64_t> ReadPointerLength(uint8_t encoding, ByteCursor& in) {
  if (encoding == kPointerOmitted)
    return std::nullopt;
  const std::optional<uint64_t> number = ReadFormat(encoding & kFormatMask, in);
  return in.ok() ? number : std::nullopt;
}

}  // namespace flarestack::elf
