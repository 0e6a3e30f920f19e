// SPDX-License-Identifier: Apache-2.0
//
// .eh_frame: for each function, how to find its caller. A common entry (CIE) says what many
// functions share, an entry for one (FDE) where the function is and how its frame changes.
//
//   FLARE_ASSIGN(const EhFrame frames, EhFrame::Of(file));
//   FLARE_ASSIGN(const EhFrameSummary summary, frames.Visit([](const Fde& fde) { ... }));
//
// Even a stripped file has it, so its functions have bounds when they have no names. The
// instructions are handed out as they stand, for an unwinder. .debug_frame is nearly the same and
// read here as well.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "elf/byte_cursor.h"
#include "elf/elf_file.h"
#include "elf/symbol_ranges.h"

namespace flarestack::elf {

struct Cie {
  uint64_t offset = 0;  // in the table
  uint8_t version = 0;
  std::string_view augmentation;
  uint64_t code_alignment = 0;
  int64_t data_alignment = 0;
  uint64_t return_register = 0;
  uint8_t pointer_encoding = 0;  // of the addresses in its FDEs
  uint8_t lsda_encoding = 0xff;
  bool is_signal_frame = false;
  bool has_augmentation_data = false;
  std::string_view instructions;
};

struct Fde {
  uint64_t offset = 0;  // in the table
  const Cie* cie = nullptr;
  uint64_t begin = 0;
  uint64_t end = 0;  // excluded, above `begin`
  std::string_view instructions;
  uint64_t instructions_offset = 0;  // in the table
};

struct EhFrameSummary {
  uint64_t fde_count = 0;      // visited
  uint64_t empty_count = 0;    // of no bytes: functions that the linker threw away
  uint64_t refused_count = 0;  // damaged, or encoded as we do not know
  std::string first_refusal;   // with its offset; empty when none was refused
};

// The FDE and its CIE live until the call returns, their views as long as the file.
using FdeVisitor = absl::FunctionRef<absl::Status(const Fde&)>;

class EhFrame {
 public:
  // The section, or what PT_GNU_EH_FRAME points at when sections were stripped. kNotFound when
  // there is neither, kUnimplemented for relocatable files, whose addresses are not filled in.
  static absl::StatusOr<EhFrame> Of(const ElfFile& file);

  // `address` is that of the first byte. Without a known end, an entry of length 0 is the last.
  enum class End { kOfBytes, kAtZeroLength };
  EhFrame(std::string_view bytes, uint64_t address, End end)
      : bytes_(bytes), address_(address), end_(end) {}

  // The bytes of a .debug_frame, after decompression. Its entries name their CIE by its offset.
  static EhFrame OfDebugFrame(std::string_view bytes);

  // In the order of the table. A bad entry is counted and left out; kInvalidArgument when a length
  // leads beyond the end, since nothing can be found after that. An error of the visitor ends it.
  absl::StatusOr<EhFrameSummary> Visit(FdeVisitor visit) const;

  // The one entry at an offset, as the search table of eh_frame_header.h gives them. `cie` must
  // outlive the result, which points at it. It is new or from an earlier call for this table, and
  // then not read again if it is the same: neighbours share one.
  absl::StatusOr<Fde> ReadFdeAt(uint64_t offset, Cie* cie) const;

  std::string_view bytes() const { return bytes_; }
  uint64_t address() const { return address_; }

 private:
  struct Entry {
    uint64_t offset = 0;       // of the length
    uint64_t body_offset = 0;  // behind length and id
    uint64_t cie_offset = 0;   // of an FDE
    uint64_t end = 0;          // behind its last byte
    bool is_empty = false;
    bool is_cie = false;
  };
  enum class Format { kEhFrame, kDebugFrame };
  class Walk;

  absl::StatusOr<Entry> ReadEntry(uint64_t offset) const;
  void ReadId(bool is_long, ByteCursor& in, Entry* entry) const;
  absl::StatusOr<Cie> ReadCie(const Entry& entry) const;
  absl::StatusOr<Cie> ReadCieOf(const Entry& fde) const;
  absl::StatusOr<Fde> ReadFde(const Entry& entry, const Cie& cie) const;

  std::string_view bytes_;
  uint64_t address_ = 0;
  End end_ = End::kOfBytes;
  Format format_ = Format::kEhFrame;
};

// The bounds of all functions, sorted, each once. Those that overlap are kept as they are.
absl::StatusOr<std::vector<AddressRange>> ReadFunctionBounds(const EhFrame& frames);

}  // namespace flarestack::elf
