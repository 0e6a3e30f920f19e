// SPDX-License-Identifier: Apache-2.0
//
// .eh_frame_hdr, found through PT_GNU_EH_FRAME: where .eh_frame is, and a sorted table from the
// beginnings of functions to their entries in it, so that one is found without reading all.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "elf/elf_file.h"

namespace flarestack::elf {

class EhFrameHeader {
 public:
  // kNotFound when the file has none.
  static absl::StatusOr<EhFrameHeader> Of(const ElfFile& file);

  // `address` is that of the first byte. The table is left out when it is encoded in another way
  // than the one all linkers use (four bytes each, relative to the header).
  static absl::StatusOr<EhFrameHeader> Parse(std::string_view bytes, uint64_t address);

  uint64_t frames_address() const { return frames_address_; }
  uint64_t entry_count() const { return entries_.size() / kEntryBytes; }

  struct Entry {
    uint64_t function_address = 0;
    uint64_t fde_address = 0;
  };
  Entry entry(uint64_t index) const;  // index < entry_count()

  // The last function that begins at or before the address. Whether it reaches that far says its
  // FDE. In a table that is not sorted some other entry may be found, or none.
  std::optional<Entry> Find(uint64_t address) const;

 private:
  static constexpr uint64_t kEntryBytes = 8;

  uint64_t address_ = 0;
  uint64_t frames_address_ = 0;
  std::string_view entries_;
};

}  // namespace flarestack::elf
