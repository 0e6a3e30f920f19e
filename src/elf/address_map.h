// SPDX-License-Identifier: Apache-2.0
//
// From an address of a running process to the address that the file's symbols use, and between file
// offsets and those addresses. Symbols name virtual addresses of the file; the loader puts its
// segments elsewhere, and where they stand in the file has nothing to do with where they stand in
// memory: lld and mold put several segments on one page of the file, each at another address.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "elf/elf_file.h"

namespace flarestack::elf {

// One line of /proc/<pid>/maps.
struct MemoryMapping {
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t file_offset = 0;
};

class AddressMap {
 public:
  // Programs have four to ten loaded segments. More than this are not looked at.
  static constexpr size_t kSegmentsMax = 256;

  AddressMap() = default;
  explicit AddressMap(const ElfFile& file);
  explicit AddressMap(std::span<const Segment> segments);

  // Where the segment that holds this byte of the file says it belongs. A byte on a page that two
  // segments share is held by one; should a file give it to two, code wins over data.
  std::optional<uint64_t> OffsetToAddress(uint64_t file_offset) const;

  // Nothing for addresses that have no bytes in the file, such as those of zeroed memory.
  std::optional<uint64_t> AddressToOffset(uint64_t address) const;

  // Of an address inside of the mapping. Nothing when it lies outside, or when no segment holds it:
  // what the loader maps beyond the ends of a segment belongs to nobody.
  std::optional<uint64_t> RuntimeToAddress(uint64_t pc, const MemoryMapping& mapping) const;

  const std::vector<Segment>& segments() const { return segments_; }

 private:
  std::vector<Segment> segments_;  // loaded ones with bytes, executable first
};

}  // namespace flarestack::elf
