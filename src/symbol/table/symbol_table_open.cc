// SPDX-License-Identifier: Apache-2.0
//
// The part of SymbolTable that opens a file: header, list of sections, ids and checksums.
#include <elf.h>

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "base/status.h"
#include "symbol/table/symbol_table.h"

namespace flarestack::symbol {
namespace {

// One of each kind, and some that a later version may add.
constexpr size_t kIdsMax = 16;

// `offset` must be in range.
uint64_t NumberAt(std::string_view bytes, size_t offset, uint8_t width) {
  return RecordTable(bytes.substr(offset, width), {width}).At(0, 0);
}

}  // namespace

absl::StatusOr<SymbolTable> SymbolTable::Open(std::string_view bytes) {
  SymbolTable table;
  table.bytes_ = bytes;
  FLARE_RETURN_IF_ERROR(table.ReadDirectory());
  FLARE_RETURN_IF_ERROR(table.ReadIds());
  table.blocks_ = table.Records(SectionKind::kBlocks);
  table.scopes_ = table.Records(SectionKind::kScopes);
  table.functions_ = table.Records(SectionKind::kFunctions);
  table.ReadSegments();
  return table;
}

absl::StatusOr<SymbolTable> SymbolTable::OpenFile(const std::string& path) {
  FLARE_ASSIGN(base::MappedFile mapping, base::MappedFile::Open(path));
  absl::StatusOr<SymbolTable> table = Open(mapping.bytes());
  if (!table.ok())
    return base::WithContext(path, table.status());
  table->mapping_ = std::move(mapping);
  return table;
}

absl::Status SymbolTable::ReadDirectory() {
  if (bytes_.size() < kHeaderBytes || !bytes_.starts_with(kTableMagic))
    return absl::InvalidArgumentError("no symbol table");
  const uint64_t version = NumberAt(bytes_, 4, 2);
  if (version != kTableVersion)
    return absl::UnimplementedError(base::StrCat("symbol table of version ", version));
  machine_ = static_cast<uint16_t>(NumberAt(bytes_, 6, 2));
  const uint64_t section_count = NumberAt(bytes_, 8, 4);
  begin_ = NumberAt(bytes_, 16, 8);
  end_ = NumberAt(bytes_, 24, 8);
  range_count_ = NumberAt(bytes_, 32, 8);
  if (section_count > (bytes_.size() - kHeaderBytes) / kDirectoryEntryBytes)
    return absl::InvalidArgumentError(base::StrCat(section_count, " sections do not fit"));
  const size_t directory_bytes = static_cast<size_t>(section_count) * kDirectoryEntryBytes;
  if (NumberAt(bytes_, 40, 8) != bytes_.size()) {
    return absl::InvalidArgumentError(base::StrCat("the table is truncated: ", bytes_.size(),
                                                   " bytes of ", NumberAt(bytes_, 40, 8)));
  }
  std::string hashed(bytes_.substr(0, 48));
  hashed += bytes_.substr(kHeaderBytes, directory_bytes);
  if (base::Hash64(hashed) != NumberAt(bytes_, 48, 8))
    return absl::InvalidArgumentError("the header is corrupt: its checksum does not match");
  for (uint64_t i = 0; i < section_count; ++i) {
    const size_t at = kHeaderBytes + static_cast<size_t>(i) * kDirectoryEntryBytes;
    const uint64_t kind = NumberAt(bytes_, at, 4);
    RecordTable::Widths widths = {};
    for (size_t field = 0; field < widths.size(); ++field)
      widths[field] = static_cast<uint8_t>(NumberAt(bytes_, at + 4 + field, 1));
    const uint64_t offset = NumberAt(bytes_, at + 8, 8);
    const uint64_t size_bytes = NumberAt(bytes_, at + 16, 8);
    if (offset > bytes_.size() || size_bytes > bytes_.size() - offset ||
        std::ranges::max(widths) > sizeof(uint64_t))
      return absl::InvalidArgumentError(base::StrCat("section ", kind, " is not inside the file"));
    if (kind < 1 || kind > kSectionCount)
      continue;  // from a later version of the writer
    sections_[static_cast<size_t>(kind) - 1] = {
        .bytes = bytes_.substr(static_cast<size_t>(offset), static_cast<size_t>(size_bytes)),
        .widths = widths,
        .checksum = NumberAt(bytes_, at + 24, 8)};
  }
  return absl::OkStatus();
}

absl::Status SymbolTable::ReadIds() {
  base::ByteReader in(Section(SectionKind::kIds));
  const size_t count = in.Count();
  if (count > kIdsMax)
    return absl::InvalidArgumentError(base::StrCat("the table has ", count, " ids"));
  for (size_t i = 0; i < count && in.ok(); ++i) {
    const uint64_t kind = in.Varint();
    const std::string_view text = in.Bytes();
    if (kind < kIdKindCount)
      ids_.push_back({static_cast<IdKind>(kind), std::string(text)});
  }
  return in.ok() ? absl::OkStatus() : absl::InvalidArgumentError("the ids are damaged");
}

void SymbolTable::ReadSegments() {
  const RecordTable records = Records(SectionKind::kSegments);
  std::vector<elf::Segment> segments;
  for (size_t i = 0; i < std::min(records.size(), elf::AddressMap::kSegmentsMax); ++i) {
    const bool is_code = records.At(i, kSegmentIsCode) != 0;
    const uint64_t address = records.At(i, kSegmentAddress);
    const uint64_t bytes = records.At(i, kSegmentBytes);
    segments.push_back({.type = PT_LOAD,
                        .flags = is_code ? uint32_t{PF_X} : 0,
                        .offset = records.At(i, kSegmentOffset),
                        .address = address,
                        .file_bytes = bytes});
    first_address_ = i == 0 ? address : std::min(first_address_, address);
    if (is_code && bytes == 0 && !code_address_.has_value())
      code_address_ = address;
  }
  address_map_ = elf::AddressMap(segments);
}

std::optional<uint64_t> SymbolTable::AddressOf(uint64_t pc,
                                               const elf::MemoryMapping& mapping) const {
  if (const auto address = address_map_.RuntimeToAddress(pc, mapping); address.has_value())
    return address;
  // A mapping begins with the page of its segment: the code segment, or the first one if the
  // mapping begins with the file.
  constexpr uint64_t kPage = 4096;
  if (!code_address_.has_value() || pc < mapping.start || pc >= mapping.end)
    return std::nullopt;
  const uint64_t address = mapping.file_offset == 0 ? first_address_ : *code_address_;
  return pc - mapping.start + (address - address % kPage);
}

absl::Status SymbolTable::VerifyChecksums() const {
  for (size_t i = 0; i < kSectionCount; ++i) {
    if (sections_[i].bytes.data() != nullptr &&
        base::Hash64(sections_[i].bytes) != sections_[i].checksum) {
      return absl::InvalidArgumentError(
          base::StrCat("section ", i + 1, " of the symbol table is damaged"));
    }
  }
  return absl::OkStatus();
}

}  // namespace flarestack::symbol
