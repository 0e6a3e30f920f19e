// SPDX-License-Identifier: Apache-2.0
#include "elf/frames/eh_frame_header.h"

#include <elf.h>

#include <algorithm>

#include "absl/status/status.h"
#include "base/status.h"
#include "elf/frames/eh_pointer.h"

namespace flarestack::elf {
namespace {

constexpr uint8_t kTableEncoding = 0x3b;  // relative to the header, four bytes, signed

}  // namespace

absl::StatusOr<EhFrameHeader> EhFrameHeader::Of(const ElfFile& file) {
  for (const Segment& segment : file.segments()) {
    if (segment.type == PT_GNU_EH_FRAME)
      return Parse(file.SegmentBytes(segment), segment.address);
  }
  return absl::NotFoundError("no .eh_frame_hdr");
}

absl::StatusOr<EhFrameHeader> EhFrameHeader::Parse(std::string_view bytes, uint64_t address) {
  ByteCursor in(bytes);
  const uint8_t version = in.U8();
  const uint8_t frames_encoding = in.U8();
  const uint8_t count_encoding = in.U8();
  const uint8_t table_encoding = in.U8();
  if (in.ok() && version != 1) {
    return absl::UnimplementedError(
        base::StrCat(".eh_frame_hdr of version ", version, ", only version 1 is supported"));
  }
  const PointerBases bases = {.cursor_address = address, .data_address = address};
  EhFrameHeader header;
  header.address_ = address;
  const auto frames_address = ReadPointer(frames_encoding, bases, in);
  if (!frames_address.has_value())
    return absl::InvalidArgumentError(".eh_frame_hdr has no address of .eh_frame");
  header.frames_address_ = *frames_address;
  const auto count = ReadPointer(count_encoding, bases, in);
  if (count.has_value() && table_encoding == kTableEncoding) {
    const uint64_t there = in.rest().size() / kEntryBytes;
    header.entries_ = in.Take(std::min(*count, there) * kEntryBytes);
  }
  return header;
}

EhFrameHeader::Entry EhFrameHeader::entry(uint64_t index) const {
  // Hard-coded for kTableEncoding, because searches call this often.
  ByteCursor in(entries_, index * kEntryBytes);
  Entry entry;
  entry.function_address = address_ + static_cast<uint64_t>(int64_t{in.Number<int32_t>()});
  entry.fde_address = address_ + static_cast<uint64_t>(int64_t{in.Number<int32_t>()});
  return entry;
}

std::optional<EhFrameHeader::Entry> EhFrameHeader::Find(uint64_t address) const {
  uint64_t first = 0;
  uint64_t count = entry_count();
  while (count > 0) {  // find the first entry above the address
    const uint64_t half = count / 2;
    if (entry(first + half).function_address <= address) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  if (first == 0)
    return std::nullopt;
  return entry(first - 1);
}

}  // namespace flarestack::elf
