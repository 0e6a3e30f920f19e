// SPDX-License-Identifier: Apache-2.0
//
// .eh_frame_hdr, found through PT_GNU_EH_FRAME: the address of .eh_frame, and a sorted table from
// function starts to their entries in it, so that one is found without reading all.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "elf/elf_file.h"

namespace flarestack::elf {

class EhFrameHeader {
 public:
  // Returns kNotFound if the file has none.
  static absl::StatusOr<EhFrameHeader> Of(const ElfFile& file);

  // `address` is that of the first byte. The table is ignored unless it has the encoding that all
  // linkers use (four bytes each, relative to the header).
  static absl::StatusOr<EhFrameHeader> Parse(std::string_view bytes, uint64_t address);

  uint64_t frames_address() const { return frames_address_; }
  uint64_t entry_count() const { return entries_.size() / kEntryBytes; }

  struct Entry {
    uint64_t function_address = 0;
    uint64_t fde_address = 0;
  };
  Entry entry(uint64_t index) const;  // index < entry_count()

  // Returns the last function that begins at or before the address; its FDE says whether it extends
  // that far. In an unsorted table the result may be wrong or missing.
  std::optional<Entry> Find(uint64_t address) const;

 private:
  static constexpr uint64_t kEntryBytes = 8;

  uint64_t address_ = 0;
  uint64_t frames_address_ = 0;
  std::string_view entries_;
};

}  // namespace flarestack::elf
