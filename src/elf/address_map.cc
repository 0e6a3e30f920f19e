// SPDX-License-Identifier: Apache-2.0
#include "elf/address_map.h"

#include <elf.h>

#include <algorithm>

namespace flarestack::elf {
namespace {

// True if the segment's ends do not overflow.
bool IsSound(const Segment& segment) {
  uint64_t end = 0;
  return segment.file_bytes > 0 &&
         !__builtin_add_overflow(segment.offset, segment.file_bytes - 1, &end) &&
         !__builtin_add_overflow(segment.address, segment.file_bytes - 1, &end);
}

}  // namespace

AddressMap::AddressMap(const ElfFile& file) : AddressMap(file.segments()) {}

AddressMap::AddressMap(std::span<const Segment> segments) {
  for (const Segment& segment : segments) {
    if (segment.type == PT_LOAD && IsSound(segment) && segments_.size() < kSegmentsMax)
      segments_.push_back(segment);
  }
  std::stable_sort(segments_.begin(), segments_.end(), [](const Segment& a, const Segment& b) {
    return a.is_executable() && !b.is_executable();
  });
}

std::optional<uint64_t> AddressMap::OffsetToAddress(uint64_t file_offset) const {
  for (const Segment& segment : segments_) {
    if (file_offset >= segment.offset && file_offset - segment.offset < segment.file_bytes)
      return file_offset - segment.offset + segment.address;
  }
  return std::nullopt;
}

std::optional<uint64_t> AddressMap::AddressToOffset(uint64_t address) const {
  for (const Segment& segment : segments_) {
    if (address >= segment.address && address - segment.address < segment.file_bytes)
      return address - segment.address + segment.offset;
  }
  return std::nullopt;
}

std::optional<uint64_t> AddressMap::RuntimeToAddress(uint64_t pc,
                                                     const MemoryMapping& mapping) const {
  uint64_t file_offset = 0;
  if (pc < mapping.start || pc >= mapping.end ||
      __builtin_add_overflow(pc - mapping.start, mapping.file_offset, &file_offset))
    return std::nullopt;
  return OffsetToAddress(file_offset);
}

}  // namespace flarestack::elf
