// SPDX-License-Identifier: Apache-2.0
//
// Finds the entries of a frame table that describe a span of code. Uses the sorted table of
// .eh_frame_hdr, which needs no preparation; without one, reads all entries once and stores their
// locations, 16 bytes each.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "elf/frames/eh_frame.h"
#include "elf/frames/eh_frame_header.h"
#include "record/unwind/cfi/cfi_program.h"
#include "record/unwind/instructions/signal_code.h"
#include "record/unwind/rows/row_builder.h"

namespace flarestack::record::unwind {

class FrameIndex {
 public:
  struct Place {
    uint64_t function_address = 0;
    uint64_t fde_offset = 0;
  };

  // Uses the header if its table looks sorted. Returns kResourceExhausted if more than
  // `entries_max` entries would have to be stored. The bytes of the frames must outlive the index.
  static absl::StatusOr<FrameIndex> Of(const elf::EhFrame& frames,
                                       const std::optional<elf::EhFrameHeader>& header,
                                       uint64_t entries_max);

  uint64_t entry_count() const { return header_ ? header_->entry_count() : places_.size(); }
  bool is_sorted_by_file() const { return header_.has_value(); }

  // Adds the rows of all functions in the span of the builder. If functions overlap, the one that
  // begins later wins.
  void AddRows(const SignalCode& signals, CfiBudget* budget, RowBuilder* builder) const;

 private:
  explicit FrameIndex(const elf::EhFrame& frames) : frames_(frames) {}

  Place PlaceAt(uint64_t index) const;
  uint64_t FirstAbove(uint64_t address) const;

  elf::EhFrame frames_;
  std::optional<elf::EhFrameHeader> header_;
  std::vector<Place> places_;  // sorted; only without a header
};

}  // namespace flarestack::record::unwind
