// SPDX-License-Identifier: Apache-2.0
//
// Maps addresses of a running process to the addresses that the file's symbols use, and converts
// between those and file offsets. Symbols use virtual addresses of the file. The loader places
// segments elsewhere, and the layout in the file is unrelated to the layout in memory: lld and mold
// put several segments on one page of the file, each at a different address.
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
  // Programs have four to ten loaded segments. Segments beyond this limit are ignored.
  static constexpr size_t kSegmentsMax = 256;

  AddressMap() = default;
  explicit AddressMap(const ElfFile& file);
  explicit AddressMap(std::span<const Segment> segments);

  // Returns the virtual address of a byte of the file. A page may be shared by two segments, but
  // each byte belongs to one; if a file assigns a byte to two, code wins over data.
  std::optional<uint64_t> OffsetToAddress(uint64_t file_offset) const;

  // Returns nullopt for addresses without bytes in the file, such as zero-initialized memory.
  std::optional<uint64_t> AddressToOffset(uint64_t address) const;

  // `pc` is an address inside the mapping. Returns nullopt if it is outside, or if no segment
  // contains it: bytes that the loader maps beyond the ends of a segment belong to none.
  std::optional<uint64_t> RuntimeToAddress(uint64_t pc, const MemoryMapping& mapping) const;

  const std::vector<Segment>& segments() const { return segments_; }

 private:
  std::vector<Segment> segments_;  // loaded segments with bytes, executable ones first
};

}  // namespace flarestack::elf
