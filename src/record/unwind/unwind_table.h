// SPDX-License-Identifier: Apache-2.0
//
// The unwind information of a file as rows of rules. Nothing is converted before it is requested:
// the search table in .eh_frame_hdr leads to the few entries that a span of code needs.
//
//   FLARE_ASSIGN(const UnwindTable table, UnwindTable::Of(file));
//   for (const Row& row : table.Rows({.begin = page, .end = page + 0x10000})) ...
//
// Sources in order of preference, each filling the gaps of the one before: Go's own tables,
// .eh_frame, .debug_frame if .eh_frame is missing or tiny, code that needs no table (signal
// returns, the entry of a program), and the instructions themselves. Immutable and thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "elf/elf_file.h"
#include "record/unwind/cfi/cfi_program.h"
#include "record/unwind/frame_index.h"
#include "record/unwind/instructions/context_code.h"
#include "record/unwind/instructions/go_code.h"
#include "record/unwind/instructions/plain_code.h"
#include "record/unwind/instructions/signal_code.h"
#include "record/unwind/rows/row.h"
#include "record/unwind/rows/row_builder.h"

namespace flarestack::record::unwind {

struct UnwindLimits {
  // Without a sorted table, 16 bytes are stored per function.
  uint64_t index_entries_max = uint64_t{1} << 20;
  uint64_t debug_frame_bytes_max = uint64_t{64} << 20;  // after decompression
  uint64_t steps_max = uint64_t{1} << 20;               // instructions per call of Rows
};

class UnwindTable {
 public:
  // The bytes of the file and of the debug file, which may be null, must outlive the table; the
  // ElfFile need not. Returns kNotFound with the reasons if the file has neither tables nor code,
  // kUnimplemented for machines other than x86-64 and arm64, kResourceExhausted if an index would
  // be too large.
  static absl::StatusOr<UnwindTable> Of(const elf::ElfFile& file,
                                        const elf::ElfFile* debug_file = nullptr,
                                        const UnwindLimits& limits = {});

  // Returns rows for a span of code, begin < end: the first exactly at its start, ascending, no two
  // adjacent rows with the same rule. RULE_NONE where nothing is known.
  std::vector<Row> Rows(const CodeSpan& span, UnwindCounts* counts = nullptr) const;

  bpf::unwind_rule Find(uint64_t address) const;

  Machine machine() const { return signals_.machine(); }
  bool is_go() const { return go_.has_value(); }
  // Entries of .eh_frame; 0 without it.
  uint64_t entry_count() const { return frames_ ? frames_->entry_count() : 0; }

 private:
  UnwindTable(SignalCode signals, ContextCode contexts)
      : signals_(std::move(signals)), contexts_(std::move(contexts)) {}

  absl::Status AddFrames(const elf::ElfFile& file, const UnwindLimits& limits);
  absl::Status AddDebugFrames(const elf::ElfFile& file, const UnwindLimits& limits);
  std::vector<Row> RowsOfCode(const CodeSpan& span, const std::vector<Row>& known) const;

  SignalCode signals_;
  ContextCode contexts_;
  std::optional<CodeSpan> entry_;
  std::optional<FrameIndex> frames_;
  std::optional<FrameIndex> debug_frames_;
  // The bytes that debug_frames_ refers to, at an address that survives a move of the table.
  std::unique_ptr<elf::SectionContents> debug_bytes_;
  std::optional<GoCode> go_;
  std::optional<PlainCode> plain_;
  uint64_t steps_max_ = 0;
};

}  // namespace flarestack::record::unwind
