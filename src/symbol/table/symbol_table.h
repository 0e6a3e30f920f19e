// SPDX-License-Identifier: Apache-2.0
//
// A symbol table file (docs/formats/symbols.md), used where it lies: opening looks at the header
// and the list of sections alone, and nothing is kept in memory per entry.
//
//   FLARE_ASSIGN(const SymbolTable table, SymbolTable::OpenFile(path));
//   CodeAt code;
//   if (table.Find(address, &code))
//     Use(code.frames());
//
// The file may be damaged: what it says is checked when it is used, and the worst is a wrong name.
// VerifyChecksums() reads all of it and tells. Immutable, so many threads may look up, each with a
// CodeAt of its own.
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
#include "base/byte_io.h"
#include "base/mapped_file.h"
#include "elf/address_map.h"
#include "elf/code_range.h"
#include "symbol/table/table_format.h"

namespace flarestack::symbol {

// The answer of one look-up, and room for the next one: after a few, none of them allocates. A
// look-up beside the one before it is quicker. It may be used with one table after the other only
// after Clear().
class CodeAt {
 public:
  // Innermost first; empty when nothing is known. The texts are those of the table.
  std::span<const elf::SourceFrame> frames() const { return frames_; }
  // The range of addresses for which the answer is the same, with ours in it.
  uint64_t begin() const { return begin_; }
  uint64_t end() const { return end_; }
  Quality quality() const { return quality_; }

  void Clear();

 private:
  friend class SymbolTable;

  // The state of reading the stream of ranges.
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
  // kInvalidArgument for what is no table or a damaged one, kUnimplemented for another version. The
  // bytes must outlive the table.
  static absl::StatusOr<SymbolTable> Open(std::string_view bytes);
  // Maps the file for as long as the table lives.
  static absl::StatusOr<SymbolTable> OpenFile(const std::string& path);

  absl::Status VerifyChecksums() const;

  // Gives back the memory of a mapped file; the kernel reads it again when it is touched.
  void DropMemory() const { mapping_.DropMemory(); }

  // Whether anything is known about the address, which is one of the file, not of a process.
  bool Find(uint64_t address, CodeAt* code) const;

  // The address of the file for one of a process that has it mapped; nothing when the table does
  // not know how the file is loaded.
  std::optional<uint64_t> AddressOf(uint64_t pc, const elf::MemoryMapping& mapping) const;

  // Addresses in any order, but ascending ones are quick. `visit` gets the position of each in
  // `addresses` with its code, which has no frames when nothing is known.
  using Visitor = absl::FunctionRef<void(size_t index, const CodeAt& code)>;
  void FindAll(std::span<const uint64_t> addresses, Visitor visit) const;

  // From the first range to the last, without the gaps.
  void VisitAll(absl::FunctionRef<void(const CodeAt& code)> visit) const;

  const std::vector<FileId>& ids() const { return ids_; }
  uint16_t machine() const { return machine_; }
  uint64_t range_count() const { return range_count_; }
  uint64_t function_count() const { return functions_.size(); }
  // Of the best known function; nothing when none is known. Looks at all of them at worst.
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
  std::optional<uint64_t> code_address_;  // of the first segment of code whose offset is unknown
  uint64_t first_address_ = 0;            // of the lowest segment
};

}  // namespace flarestack::symbol
