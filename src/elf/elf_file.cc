// SPDX-License-Identifier: Apache-2.0
#include "elf/elf_file.h"

#include <elf.h>

#include <algorithm>

#include "absl/status/status.h"
#include "base/compress/compress.h"
#include "base/status.h"
#include "elf/byte_cursor.h"

namespace flarestack::elf {
namespace {

using base::StrCat;

constexpr std::string_view kMagic =
    "\x7f"
    "ELF";
constexpr uint64_t kSegmentHeaderBytes = 56;
constexpr uint64_t kSectionHeaderBytes = 64;
constexpr uint64_t kCompressionHeaderBytes = 24;
constexpr uint32_t kCompressedZstd = 2;  // missing in the <elf.h> of glibc 2.36
constexpr std::string_view kDebugPrefix = ".debug_";
constexpr std::string_view kLegacyPrefix = ".zdebug_";
constexpr std::string_view kLegacyMagic = "ZLIB";

// Returns `count` headers of `each` bytes at `offset`, if all of them lie in the file.
absl::StatusOr<std::string_view> TableBytes(std::string_view file, uint64_t offset, uint64_t count,
                                            uint64_t each) {
  if (offset > file.size() || count > (file.size() - offset) / each) {
    return absl::InvalidArgumentError(StrCat(count, " entries at offset ", offset,
                                             " do not fit into a file of ", file.size(), " bytes"));
  }
  return file.substr(static_cast<size_t>(offset), static_cast<size_t>(count * each));
}

Segment ReadSegment(ByteCursor& in) {
  Segment segment;
  segment.type = in.U32();
  segment.flags = in.U32();
  segment.offset = in.U64();
  segment.address = in.U64();
  in.U64();  // the physical address
  segment.file_bytes = in.U64();
  segment.memory_bytes = in.U64();
  segment.alignment = in.U64();
  return segment;
}

Section ReadSection(ByteCursor& in, uint32_t* name_offset) {
  Section section;
  *name_offset = in.U32();
  section.type = in.U32();
  section.flags = in.U64();
  section.address = in.U64();
  section.offset = in.U64();
  section.size_bytes = in.U64();
  section.link = in.U32();
  section.info = in.U32();
  section.alignment = in.U64();
  section.entry_bytes = in.U64();
  return section;
}

enum class Packing { kZlib, kZstd };

struct PackedBytes {
  Packing packing = Packing::kZlib;
  uint64_t expanded_bytes = 0;
  std::string_view bytes;
};

absl::StatusOr<PackedBytes> ReadCompressionHeader(std::string_view stored) {
  if (stored.size() < kCompressionHeaderBytes)
    return absl::InvalidArgumentError("compressed, but too short for a compression header");
  ByteCursor in(stored);
  const uint32_t type = in.U32();
  in.U32();  // reserved
  PackedBytes packed;
  packed.expanded_bytes = in.U64();
  in.U64();  // alignment
  packed.bytes = in.rest();
  if (type != ELFCOMPRESS_ZLIB && type != kCompressedZstd)
    return absl::UnimplementedError(StrCat("compressed with the unknown method ", type));
  packed.packing = type == kCompressedZstd ? Packing::kZstd : Packing::kZlib;
  return packed;
}

absl::StatusOr<PackedBytes> ReadLegacyHeader(std::string_view stored) {
  if (stored.size() < kLegacyMagic.size() + 8 || !stored.starts_with(kLegacyMagic))
    return absl::InvalidArgumentError("a .zdebug section that does not begin with ZLIB");
  PackedBytes packed;
  for (const char byte : stored.substr(kLegacyMagic.size(), 8))
    packed.expanded_bytes = packed.expanded_bytes << 8 | static_cast<uint8_t>(byte);
  packed.bytes = stored.substr(kLegacyMagic.size() + 8);
  return packed;
}

absl::StatusOr<std::string> Expand(const PackedBytes& packed, uint64_t bytes_max) {
  if (packed.expanded_bytes > bytes_max) {
    return absl::ResourceExhaustedError(StrCat("would be ", packed.expanded_bytes,
                                               " bytes decompressed, the limit is ", bytes_max));
  }
  const base::ExpandLimits limits{.bytes_max = packed.expanded_bytes};
  auto expanded = packed.packing == Packing::kZlib ? base::Inflate(packed.bytes, limits)
                                                   : base::Unzstd(packed.bytes, limits);
  if (expanded.ok() && expanded->size() == packed.expanded_bytes)
    return expanded;
  // More bytes than the header states is corruption too, not an exceeded limit.
  return absl::InvalidArgumentError(
      StrCat("does not decompress to the ", packed.expanded_bytes, " bytes its header names: ",
             expanded.ok() ? StrCat("it has ", expanded->size())
                           : std::string(base::Message(expanded.status()))));
}

}  // namespace

absl::StatusOr<ElfFile> ElfFile::Parse(std::string_view bytes) {
  ElfFile file(bytes);
  FLARE_RETURN_IF_ERROR(file.ReadHeader());
  const absl::Status sections = file.ReadSections();
  if (!sections.ok()) {
    file.sections_.clear();
    file.section_note_ = base::Message(sections);
  }
  FLARE_RETURN_IF_ERROR(file.ReadSegments());
  return file;
}

absl::Status ElfFile::ReadHeader() {
  if (!bytes_.starts_with(kMagic))
    return absl::InvalidArgumentError("not an ELF file");
  if (bytes_.size() < sizeof(Elf64_Ehdr)) {
    return absl::InvalidArgumentError(
        StrCat("a truncated ELF file: ", bytes_.size(), " bytes, its header has 64"));
  }
  const auto ident = [this](size_t index) { return static_cast<uint8_t>(bytes_[index]); };
  if (ident(EI_CLASS) != ELFCLASS64)
    return absl::UnimplementedError("a 32-bit ELF file; only 64-bit files are read");
  if (ident(EI_DATA) != ELFDATA2LSB)
    return absl::UnimplementedError("a big-endian ELF file; only little-endian files are read");
  ByteCursor in(bytes_, EI_NIDENT);
  type_ = in.U16();
  machine_ = in.U16();
  in.U32();  // version
  entry_address_ = in.U64();
  segments_offset_ = in.U64();
  sections_offset_ = in.U64();
  in.U32();  // flags
  in.U16();  // the size of this header
  segment_header_bytes_ = in.U16();
  segment_count_ = in.U16();
  section_header_bytes_ = in.U16();
  section_count_ = in.U16();
  names_index_ = in.U16();
  return absl::OkStatus();
}

absl::Status ElfFile::ReadSegments() {
  uint64_t count = segment_count_;
  if (count == PN_XNUM && !sections_.empty())
    count = sections_[0].info;
  if (count == 0)
    return absl::OkStatus();
  if (segment_header_bytes_ != kSegmentHeaderBytes) {
    return absl::InvalidArgumentError(
        StrCat("program headers of ", segment_header_bytes_, " bytes, not 56"));
  }
  auto table = TableBytes(bytes_, segments_offset_, count, kSegmentHeaderBytes);
  if (!table.ok())
    return base::WithContext("program headers", table.status());
  ByteCursor in(*table);
  while (!in.AtEnd())
    segments_.push_back(ReadSegment(in));
  return absl::OkStatus();
}

absl::Status ElfFile::ReadSections() {
  if (sections_offset_ == 0)
    return absl::InvalidArgumentError("the file has no section headers");
  if (section_header_bytes_ != kSectionHeaderBytes) {
    return absl::InvalidArgumentError(
        StrCat("section headers of ", section_header_bytes_, " bytes, not 64"));
  }
  auto first = TableBytes(bytes_, sections_offset_, 1, kSectionHeaderBytes);
  if (!first.ok())
    return base::WithContext("section headers", first.status());
  // Counts that do not fit into 16 bits are stored in section 0, which is unused apart from that.
  ByteCursor zero_in(*first);
  uint32_t name_offset = 0;
  const Section zero = ReadSection(zero_in, &name_offset);
  const uint64_t count = section_count_ == 0 ? zero.size_bytes : section_count_;
  const uint64_t names_index = names_index_ == SHN_XINDEX ? zero.link : names_index_;
  if (count > kSectionsMax)
    return absl::ResourceExhaustedError(StrCat(count, " sections, the limit is ", kSectionsMax));
  auto table = TableBytes(bytes_, sections_offset_, count, kSectionHeaderBytes);
  if (!table.ok())
    return base::WithContext("section headers", table.status());
  ByteCursor in(*table);
  std::vector<uint32_t> name_offsets;
  while (!in.AtEnd()) {
    sections_.push_back(ReadSection(in, &name_offset));
    name_offsets.push_back(name_offset);
  }
  // Unnamed sections still have types and addresses, so they are kept.
  if (const absl::Status named = NameSections(names_index, name_offsets); !named.ok())
    section_note_ = base::Message(named);
  return absl::OkStatus();
}

absl::Status ElfFile::NameSections(uint64_t names_index, std::span<const uint32_t> name_offsets) {
  if (names_index >= sections_.size()) {
    return absl::InvalidArgumentError(StrCat("section names in section ", names_index,
                                             ", but there are ", sections_.size(), " sections"));
  }
  const std::string_view names = SectionBytes(sections_[names_index]);
  if (names.empty())
    return absl::InvalidArgumentError("the section of section names has no bytes in the file");
  for (size_t i = 0; i < sections_.size(); ++i) {
    if (name_offsets[i] >= names.size())
      continue;
    const std::string_view rest = names.substr(name_offsets[i], kSectionNameBytesMax);
    sections_[i].name = rest.substr(0, rest.find('\0'));
  }
  return absl::OkStatus();
}

const Section* ElfFile::FindSection(std::string_view name) const {
  const auto is_named = [](std::string_view wanted) {
    return [wanted](const Section& section) { return section.name == wanted; };
  };
  auto found = std::find_if(sections_.begin(), sections_.end(), is_named(name));
  if (found == sections_.end() && name.starts_with(kDebugPrefix)) {
    const std::string legacy = StrCat(kLegacyPrefix, name.substr(kDebugPrefix.size()));
    found = std::find_if(sections_.begin(), sections_.end(), is_named(legacy));
  }
  return found == sections_.end() ? nullptr : &*found;
}

const Section* ElfFile::FindSectionOfType(uint32_t type) const {
  const auto found = std::find_if(sections_.begin(), sections_.end(),
                                  [type](const Section& s) { return s.type == type; });
  return found == sections_.end() ? nullptr : &*found;
}

std::string_view ElfFile::SectionBytes(const Section& section) const {
  if (section.type == SHT_NOBITS || section.type == SHT_NULL || section.offset > bytes_.size() ||
      section.size_bytes > bytes_.size() - section.offset)
    return {};
  return bytes_.substr(static_cast<size_t>(section.offset),
                       static_cast<size_t>(section.size_bytes));
}

absl::StatusOr<SectionContents> ElfFile::Contents(const Section& section,
                                                  uint64_t bytes_max) const {
  const auto complain = [&section](const absl::Status& status) {
    return base::WithContext(StrCat("section ", section.name), status);
  };
  const std::string_view stored = SectionBytes(section);
  if (stored.empty()) {
    if (section.type == SHT_NOBITS || section.type == SHT_NULL || section.size_bytes == 0)
      return SectionContents(stored);
    return complain(absl::InvalidArgumentError(
        StrCat(section.size_bytes, " bytes at offset ", section.offset,
               " extend beyond the end of a file of ", bytes_.size(), " bytes")));
  }
  const bool is_compressed = (section.flags & SHF_COMPRESSED) != 0;
  if (!is_compressed && !section.name.starts_with(kLegacyPrefix)) {
    if (stored.size() <= bytes_max)
      return SectionContents(stored);
    return complain(absl::ResourceExhaustedError(
        StrCat("has ", stored.size(), " bytes, the limit is ", bytes_max)));
  }
  auto packed = is_compressed ? ReadCompressionHeader(stored) : ReadLegacyHeader(stored);
  if (!packed.ok())
    return complain(packed.status());
  auto expanded = Expand(*packed, bytes_max);
  if (!expanded.ok())
    return complain(expanded.status());
  return SectionContents(*std::move(expanded));
}

std::string_view ElfFile::SegmentBytes(const Segment& segment) const {
  if (segment.offset > bytes_.size())
    return {};
  const uint64_t size = std::min<uint64_t>(segment.file_bytes, bytes_.size() - segment.offset);
  return bytes_.substr(static_cast<size_t>(segment.offset), static_cast<size_t>(size));
}

std::string_view ElfFile::BytesFromAddress(uint64_t address) const {
  for (const Segment& segment : segments_) {
    if (segment.type != PT_LOAD || address < segment.address)
      continue;
    const std::string_view bytes = SegmentBytes(segment);
    if (address - segment.address < bytes.size())
      return bytes.substr(static_cast<size_t>(address - segment.address));
  }
  return {};
}

}  // namespace flarestack::elf
