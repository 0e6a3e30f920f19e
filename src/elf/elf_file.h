// SPDX-License-Identifier: Apache-2.0
//
// A checked view over the bytes of a 64-bit little-endian ELF file: its header, program headers
// (segments) and section headers. Only the two header tables are copied.
//
//   FLARE_ASSIGN(const ElfFile file, ElfFile::Parse(bytes));
//   if (const Section* lines = file.FindSection(".debug_line"); lines != nullptr) {
//     FLARE_ASSIGN(const SectionContents contents, file.Contents(*lines, 1 << 30));
//     Use(contents.view());
//   }
//
// The bytes must outlive the file and every view from it. Immutable, so many threads may read it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace flarestack::elf {

// A program header. Its values are not checked against the file size; SegmentBytes does that.
struct Segment {
  uint32_t type = 0;   // PT_ of <elf.h>
  uint32_t flags = 0;  // PF_
  uint64_t offset = 0;
  uint64_t address = 0;  // virtual
  uint64_t file_bytes = 0;
  uint64_t memory_bytes = 0;
  uint64_t alignment = 0;

  bool is_executable() const { return (flags & 1) != 0; }
};

// A section header. Its values are not checked against the file size; SectionBytes does that.
struct Section {
  std::string_view name;  // empty if the name table is corrupt
  uint32_t type = 0;      // SHT_ of <elf.h>
  uint64_t flags = 0;     // SHF_
  uint64_t address = 0;
  uint64_t offset = 0;
  uint64_t size_bytes = 0;  // as stored: compressed size for a compressed section
  uint32_t link = 0;
  uint32_t info = 0;
  uint64_t alignment = 0;
  uint64_t entry_bytes = 0;
};

// The bytes of a section, borrowed from the file or owned after decompression. The view is valid
// while both this object (unmoved) and the file exist.
class SectionContents {
 public:
  explicit SectionContents(std::string_view borrowed) : borrowed_(borrowed) {}
  explicit SectionContents(std::string owned) : owned_(std::move(owned)), is_owned_(true) {}

  std::string_view view() const { return is_owned_ ? std::string_view(owned_) : borrowed_; }
  bool is_owned() const { return is_owned_; }

 private:
  std::string_view borrowed_;
  std::string owned_;
  bool is_owned_ = false;
};

class ElfFile {
 public:
  static constexpr uint64_t kSectionsMax = 1 << 20;
  // Longer names are truncated, so that a million sections cannot each point at a megabyte.
  static constexpr uint64_t kSectionNameBytesMax = 4096;

  // Returns kInvalidArgument if the bytes are not an ELF file or the program headers lie outside
  // it, and kUnimplemented for 32-bit and big-endian files. A corrupt section table is not an
  // error, because packed and stripped files run without one: the file then has no sections, and a
  // note.
  static absl::StatusOr<ElfFile> Parse(std::string_view bytes);

  uint16_t machine() const { return machine_; }  // EM_ of <elf.h>
  uint16_t type() const { return type_; }        // ET_
  uint64_t entry_address() const { return entry_address_; }
  std::string_view bytes() const { return bytes_; }

  std::span<const Segment> segments() const { return segments_; }

  // In file order, so that symbols can refer to them by index; the first is the null section.
  std::span<const Section> sections() const { return sections_; }

  // Why there are no sections or section names; empty if there are.
  std::string_view section_note() const { return section_note_; }

  // Returns the first section with this name, or null. ".debug_x" also finds the legacy
  // ".zdebug_x".
  const Section* FindSection(std::string_view name) const;

  // Returns the first section of this type, or null.
  const Section* FindSectionOfType(uint32_t type) const;

  // The bytes as stored. Empty for sections without bytes (NOBITS, as most are in separate debug
  // files) and for those that extend beyond the end of the file.
  std::string_view SectionBytes(const Section& section) const;

  // The bytes after decompression (SHF_COMPRESSED with zlib or zstd, and ".zdebug_x"). Returns
  // kResourceExhausted if they exceed `bytes_max`, checked before decompression, and
  // kInvalidArgument if the section is corrupt or extends beyond the file. NOBITS is empty.
  absl::StatusOr<SectionContents> Contents(const Section& section, uint64_t bytes_max) const;

  // The segment's bytes in the file, truncated at the end of the file. The segments of a separate
  // debug file are those of the original file, so the bytes at their offsets are unrelated. Such a
  // file is recognized by its loaded sections, which are NOBITS.
  std::string_view SegmentBytes(const Segment& segment) const;

  // The file's bytes from a virtual address to the end of its PT_LOAD segment in the file. Empty if
  // no segment contains the address.
  std::string_view BytesFromAddress(uint64_t address) const;

 private:
  explicit ElfFile(std::string_view bytes) : bytes_(bytes) {}

  absl::Status ReadHeader();
  absl::Status ReadSegments();
  absl::Status ReadSections();
  absl::Status NameSections(uint64_t names_index, std::span<const uint32_t> name_offsets);

  std::string_view bytes_;
  uint16_t machine_ = 0;
  uint16_t type_ = 0;
  uint64_t entry_address_ = 0;
  uint64_t segments_offset_ = 0;
  uint64_t sections_offset_ = 0;
  uint16_t segment_header_bytes_ = 0;
  uint16_t segment_count_ = 0;
  uint16_t section_header_bytes_ = 0;
  uint16_t section_count_ = 0;
  uint16_t names_index_ = 0;
  std::vector<Segment> segments_;
  std::vector<Section> sections_;
  std::string section_note_;
};

}  // namespace flarestack::elf
