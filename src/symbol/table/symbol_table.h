// SPDX-License-Identifier: Apache-2.0
//
// A symbol table file (docs/formats/symbols.md), used in place: opening reads only the header and
// the list of sections, and nothing is kept in memory per entry.
//
//   FLARE_ASSIGN(const SymbolTable table, SymbolTable::OpenFile(path));
//   CodeAt code;
//   if (table.Find(address, &code))
//     Use(code.frames());
//
// The file may be corrupt: its data is checked on use, and the worst result is a wrong name.
// VerifyChecksums() reads the whole file and reports corruption. Immutable, so many threads may
// look things up, each with a separate CodeAt.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "base/byte_reader.h"
#include "base/file/mapped_file.h"
#include "elf/address_map.h"
#include "elf/code_range.h"
#include "symbol/table/table_format.h"

namespace flarestack::symbol {

// The result of one lookup, reused for the next: after a few lookups, none allocates. A lookup near
// the previous one is faster. Call Clear() before using it with another table.
class CodeAt {
 public:
  // Innermost first; empty if nothing is known. The strings belong to the table.
  std::span<const elf::SourceFrame> frames() const { return frames_; }
  // The range of addresses around the requested one with the same result.
  uint64_t begin() const { return begin_; }
  uint64_t end() const { return end_; }
  Quality quality() const { return quality_; }

  void Clear();

 private:
  friend class SymbolTable;

  // The state of reading the range stream.
  uint64_t begin_ = 0;
  uint64_t end_ = 0;
  uint64_t block_end_ = 0;
  base::ByteReader rest_{std::string_view()};
  uint32_t ranges_left_ = 0;
  uint64_t scope_ = 0;
  uint64_t line_ = 0;
  uint64_t column_ = 0;
  bool is_gap_ = true;

  Quality quality_ = Quality::kDwarf;
  std::vector<elf::SourceFrame> frames_;
  uint64_t scope_of_frames_ = UINT64_MAX;
};

class SymbolTable {
 public:
  // Returns kInvalidArgument if it is not a table or is corrupt, and kUnimplemented for another
  // version. The bytes must outlive the table.
  static absl::StatusOr<SymbolTable> Open(std::string_view bytes);
  // Maps the file for the lifetime of the table.
  static absl::StatusOr<SymbolTable> OpenFile(const std::string& path);

  absl::Status VerifyChecksums() const;

  // Releases the resident pages of a mapped file; the kernel reads them again when they are
  // touched.
  void DropMemory() const { mapping_.DropMemory(); }

  // True if anything is known about the address, which is a file address, not a process address.
  bool Find(uint64_t address, CodeAt* code) const;

  // Returns the file address for an address of a process that has the file mapped, or nullopt if
  // the table does not know how the file is loaded.
  std::optional<uint64_t> AddressOf(uint64_t pc, const elf::MemoryMapping& mapping) const;

  // Addresses may be in any order; ascending ones are fast. `visit` gets the index of each in
  // `addresses` with its code, which has no frames if nothing is known.
  using Visitor = absl::FunctionRef<void(size_t index, const CodeAt& code)>;
  void FindAll(std::span<const uint64_t> addresses, Visitor visit) const;

  // Visits all ranges in order, without the gaps.
  void VisitAll(absl::FunctionRef<void(const CodeAt& code)> visit) const;

  const std::vector<FileId>& ids() const { return ids_; }
  uint16_t machine() const { return machine_; }
  uint64_t range_count() const { return range_count_; }
  uint64_t function_count() const { return functions_.size(); }
  // The quality of the best known function; nullopt if there is none. May scan all of them.
  std::optional<Quality> BestQuality() const;
  uint64_t scope_count() const { return scopes_.size(); }
  std::string_view bytes() const { return bytes_; }
  uint64_t SectionBytes(SectionKind kind) const { return Section(kind).size(); }

 private:
  struct SectionEntry {
    std::string_view bytes;
    RecordTable::Widths widths = {};
    uint64_t checksum = 0;
  };

  absl::Status ReadDirectory();
  absl::Status ReadIds();
  void ReadSegments();
  std::string_view Section(SectionKind kind) const {
    return sections_[static_cast<size_t>(kind) - 1].bytes;
  }
  RecordTable Records(SectionKind kind) const {
    const SectionEntry& section = sections_[static_cast<size_t>(kind) - 1];
    return {section.bytes, section.widths};
  }
  std::string_view TextAt(uint64_t offset) const;

  bool EnterBlock(size_t block, CodeAt* code) const;
  bool NextRange(CodeAt* code) const;
  bool WalkTo(uint64_t address, CodeAt* code) const;
  void SetFrames(CodeAt* code) const;
  void NameFrames(CodeAt* code) const;

  base::MappedFile mapping_;
  std::string_view bytes_;
  std::array<SectionEntry, kSectionCount> sections_;
  std::vector<FileId> ids_;
  uint16_t machine_ = 0;
  uint64_t begin_ = 0;
  uint64_t end_ = 0;
  uint64_t range_count_ = 0;
  RecordTable blocks_;
  RecordTable scopes_;
  RecordTable functions_;
  elf::AddressMap address_map_;
  std::optional<uint64_t> code_address_;  // of the first code segment with an unknown offset
  uint64_t first_address_ = 0;            // of the lowest segment
};

}  // namespace flarestack::symbol
