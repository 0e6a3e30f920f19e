// SPDX-License-Identifier: Apache-2.0
//
// Finds the entries of a frame table that describe a piece of code. The sorted table of
// .eh_frame_hdr does it without reading anything else; where there is none, all entries are read
// once and their places kept, 16 bytes each.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "elf/eh_frame.h"
#include "elf/eh_frame_header.h"
#include "record/unwind/cfi_program.h"
#include "record/unwind/row_builder.h"
#include "record/unwind/signal_code.h"

namespace flarestack::record::unwind {

class FrameIndex {
 public:
  struct Place {
    uint64_t function_address = 0;
    uint64_t fde_offset = 0;
  };

  // The header is used when it has a table that looks sorted. kResourceExhausted when there are
  // more than `entries_max` entries to keep. The bytes of the frames must outlive the index.
  static absl::StatusOr<FrameIndex> Of(const elf::EhFrame& frames,
                                       const std::optional<elf::EhFrameHeader>& header,
                                       uint64_t entries_max);

  uint64_t entry_count() const { return header_ ? header_->entry_count() : places_.size(); }
  bool is_sorted_by_file() const { return header_.has_value(); }

  // Adds the rows of all functions that lie in the span of the builder. Of those that overlap, the
  // one that begins later holds.
  void AddRows(const SignalCode& signals, CfiBudget* budget, RowBuilder* builder) const;

 private:
  explicit FrameIndex(const elf::EhFrame& frames) : frames_(frames) {}

  Place PlaceAt(uint64_t index) const;
  uint64_t FirstAbove(uint64_t address) const;

  elf::EhFrame frames_;
  std::optional<elf::EhFrameHeader> header_;
  std::vector<Place> places_;  // sorted, when there is no header
};

}  // namespace flarestack::record::unwind
