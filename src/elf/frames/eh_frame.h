// SPDX-License-Identifier: Apache-2.0
//
// .eh_frame: how to find the caller of each function. A common entry (CIE) contains what many
// functions share. An entry for one function (FDE) contains its bounds and how its frame changes.
//
//   FLARE_ASSIGN(const EhFrame frames, EhFrame::Of(file));
//   FLARE_ASSIGN(const EhFrameSummary summary, frames.Visit([](const Fde& fde) { ... }));
//
// Even a stripped file has it, so functions have bounds even without names. The instructions are
// passed on raw, for an unwinder. .debug_frame is nearly the same and is read here too.
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
  uint64_t end = 0;  // exclusive, above `begin`
  std::string_view instructions;
  uint64_t instructions_offset = 0;  // in the table
};

struct EhFrameSummary {
  uint64_t fde_count = 0;       // visited
  uint64_t empty_count = 0;     // zero-length: functions that the linker discarded
  uint64_t rejected_count = 0;  // corrupt, or with an unknown encoding
  std::string first_rejection;  // with its offset; empty if none was rejected
};

// The FDE and its CIE are valid during the call, their views as long as the file.
using FdeVisitor = absl::FunctionRef<absl::Status(const Fde&)>;

class EhFrame {
 public:
  // Uses the section, or the target of PT_GNU_EH_FRAME if sections were stripped. Returns kNotFound
  // if there is neither, and kUnimplemented for relocatable files, whose addresses are not filled
  // in.
  static absl::StatusOr<EhFrame> Of(const ElfFile& file);

  // `address` is that of the first byte. If the end is not known, an entry of length 0 is the last.
  enum class End { kOfBytes, kAtZeroLength };
  EhFrame(std::string_view bytes, uint64_t address, End end)
      : bytes_(bytes), address_(address), end_(end) {}

  // Takes the bytes of a .debug_frame, after decompression. Its entries refer to their CIE by
  // offset.
  static EhFrame OfDebugFrame(std::string_view bytes);

  // Visits in table order. Counts and skips bad entries. Returns kInvalidArgument if a length
  // exceeds the end, since nothing after it can be found. Stops at an error of the visitor.
  absl::StatusOr<EhFrameSummary> Visit(FdeVisitor visit) const;

  // Reads the entry at an offset from the search table of eh_frame_header.h. `cie` must outlive the
  // result, which points at it. Pass a new one, or one from an earlier call for this table: if it
  // is the same CIE, as for most neighbours, it is not read again.
  absl::StatusOr<Fde> ReadFdeAt(uint64_t offset, Cie* cie) const;

  std::string_view bytes() const { return bytes_; }
  uint64_t address() const { return address_; }

 private:
  struct Entry {
    uint64_t offset = 0;       // of the length field
    uint64_t body_offset = 0;  // after length and id
    uint64_t cie_offset = 0;   // for an FDE
    uint64_t end = 0;          // after its last byte
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

// Returns the bounds of all functions, sorted and without duplicates. Overlaps are kept.
absl::StatusOr<std::vector<AddressRange>> ReadFunctionBounds(const EhFrame& frames);

}  // namespace flarestack::elf
