// SPDX-License-Identifier: Apache-2.0
#include "elf/loaded_image.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/status.h"
#include "elf/byte_cursor.h"

namespace flarestack::elf {
namespace {

constexpr size_t kHeaderBytes = 64;
constexpr size_t kSegmentBytes = 56;
constexpr size_t kDynamicBytes = 16;
constexpr size_t kDynamicBytesMax = 64 << 10;
constexpr size_t kSymbolBytes = 24;
constexpr size_t kRelocationBytes = 24;
constexpr size_t kPieceBytes = kRelocationBytes << 11;
constexpr uint32_t kChainMax = 1 << 16;  // symbols examined per lookup

absl::StatusOr<std::string> ReadBytes(ImageReader read, uint64_t address, size_t bytes) {
  std::string out(bytes, '\0');
  FLARE_RETURN_IF_ERROR(read(address, out));
  return out;
}

template <typename T>
absl::StatusOr<T> ReadNumber(ImageReader read, uint64_t address) {
  std::array<char, sizeof(T)> bytes = {};
  FLARE_RETURN_IF_ERROR(read(address, bytes));
  return ByteCursor(std::string_view(bytes.data(), bytes.size())).Number<T>();
}

std::optional<ThreadLocalSlot> SlotOf(uint16_t machine, uint32_t type) {
  if (machine == EM_X86_64) {
    switch (type) {
      case R_X86_64_TPOFF64:
        return ThreadLocalSlot::kThreadOffset;
      case R_X86_64_TLSDESC:
        return ThreadLocalSlot::kDescriptor;
      case R_X86_64_DTPMOD64:
        return ThreadLocalSlot::kModule;
      default:
        return std::nullopt;
    }
  }
  if (machine == EM_AARCH64) {
    switch (type) {
      case R_AARCH64_TLS_TPREL:
        return ThreadLocalSlot::kThreadOffset;
      case R_AARCH64_TLSDESC:
        return ThreadLocalSlot::kDescriptor;
      case R_AARCH64_TLS_DTPMOD:
        return ThreadLocalSlot::kModule;
      default:
        return std::nullopt;
    }
  }
  return std::nullopt;
}

uint32_t GnuHash(std::string_view name) {
  uint32_t hash = 5381;
  for (const char c : name)
    hash = hash * 33 + static_cast<uint8_t>(c);
  return hash;
}

uint32_t SystemVHash(std::string_view name) {
  uint32_t hash = 0;
  for (const char c : name) {
    hash = (hash << 4) + static_cast<uint8_t>(c);
    hash ^= hash >> 24 & 0xf0;
    hash &= 0x0fffffff;
  }
  return hash;
}

}  // namespace

absl::StatusOr<LoadedImage> LoadedImage::Read(ImageReader read, uint64_t header_address) {
  LoadedImage image;
  FLARE_RETURN_IF_ERROR(image.ReadSegments(read, header_address));
  FLARE_RETURN_IF_ERROR(image.ReadDynamic(read));
  return image;
}

absl::Status LoadedImage::ReadSegments(ImageReader read, uint64_t header_address) {
  FLARE_ASSIGN(const std::string header, ReadBytes(read, header_address, kHeaderBytes));
  ByteCursor in(header);
  if (in.Take(SELFMAG) != std::string_view(ELFMAG, SELFMAG))
    return absl::InvalidArgumentError("no ELF header");
  if (in.U8() != ELFCLASS64 || in.U8() != ELFDATA2LSB)
    return absl::UnimplementedError("not a 64-bit little-endian file");
  in.SeekTo(offsetof(Elf64_Ehdr, e_machine));
  machine_ = in.U16();
  in.SeekTo(offsetof(Elf64_Ehdr, e_phoff));
  const uint64_t offset = in.U64();
  in.SeekTo(offsetof(Elf64_Ehdr, e_phentsize));
  const uint16_t entry_bytes = in.U16();
  const uint16_t count = in.U16();
  if (entry_bytes != kSegmentBytes || count > kSegmentsMax) {
    return absl::InvalidArgumentError(
        base::StrCat(count, " program headers of ", entry_bytes, " bytes"));
  }
  FLARE_ASSIGN(const std::string table,
               ReadBytes(read, header_address + offset, size_t{count} * kSegmentBytes));
  ByteCursor rows(table);
  std::optional<uint64_t> header_in_file;
  for (uint16_t i = 0; i < count; ++i) {
    Segment segment;
    segment.type = rows.U32();
    segment.flags = rows.U32();
    segment.offset = rows.U64();
    segment.address = rows.U64();
    rows.U64();  // physical address
    segment.file_bytes = rows.U64();
    segment.memory_bytes = rows.U64();
    segment.alignment = rows.U64();
    if (segment.type == PT_LOAD && !header_in_file.has_value())
      header_in_file = segment.address - segment.offset;  // the first has the lowest address
    segments_.push_back(segment);
  }
  if (!header_in_file.has_value())
    return absl::InvalidArgumentError("no loaded segment");
  bias_ = header_address - *header_in_file;
  return absl::OkStatus();
}

absl::Status LoadedImage::ReadDynamic(ImageReader read) {
  const auto dynamic = std::find_if(segments_.begin(), segments_.end(),
                                    [](const Segment& s) { return s.type == PT_DYNAMIC; });
  if (dynamic == segments_.end())
    return absl::OkStatus();
  const size_t bytes = std::min<size_t>(dynamic->memory_bytes, kDynamicBytesMax);
  FLARE_ASSIGN(const std::string table, ReadBytes(read, bias_ + dynamic->address, bytes));
  ByteCursor in(table);
  for (size_t i = 0; i < bytes / kDynamicBytes; ++i) {
    const auto tag = in.Number<int64_t>();
    const uint64_t value = in.U64();
    if (tag == DT_NULL)
      break;
    TakeDynamic(tag, value);
  }
  return absl::OkStatus();
}

void LoadedImage::TakeDynamic(int64_t tag, uint64_t value) {
  switch (tag) {
    case DT_SYMTAB:
      symbols_address_ = ToProcess(value);
      break;
    case DT_STRTAB:
      names_address_ = ToProcess(value);
      break;
    case DT_GNU_HASH:
      gnu_hash_address_ = ToProcess(value);
      break;
    case DT_HASH:
      hash_address_ = ToProcess(value);
      break;
    case DT_RELA:
      relocations_.address = ToProcess(value);
      break;
    case DT_RELASZ:
      relocations_.size_bytes = value;
      break;
    case DT_JMPREL:
      plt_relocations_.address = ToProcess(value);
      break;
    case DT_PLTRELSZ:
      plt_relocations_.size_bytes = value;
      break;
    case DT_RELACOUNT:
      relative_count_ = value;
      break;
    default:
      break;
  }
}

// Some dynamic linkers (glibc) overwrite file addresses with process addresses, others do not. A
// pointer that lies inside the loaded image is a process address.
uint64_t LoadedImage::ToProcess(uint64_t pointer) const {
  for (const Segment& segment : segments_) {
    if (segment.type == PT_LOAD && pointer - (bias_ + segment.address) < segment.memory_bytes)
      return pointer;
  }
  return bias_ + pointer;
}

const Segment* LoadedImage::thread_local_segment() const {
  const auto found = std::find_if(segments_.begin(), segments_.end(),
                                  [](const Segment& s) { return s.type == PT_TLS; });
  return found == segments_.end() ? nullptr : &*found;
}

absl::StatusOr<bool> LoadedImage::IsNamed(ImageReader read, uint32_t symbol_index,
                                          std::string_view name) const {
  FLARE_ASSIGN(const uint32_t name_offset,
               ReadNumber<uint32_t>(read, symbols_address_ + symbol_index * kSymbolBytes));
  const auto found = ReadBytes(read, names_address_ + name_offset, name.size() + 1);
  // If the read fails at the end of the memory, the name there is shorter than ours.
  return found.ok() && found->substr(0, name.size()) == name && found->back() == '\0';
}

absl::StatusOr<std::optional<DynamicSymbol>> LoadedImage::Match(ImageReader read, uint32_t index,
                                                                std::string_view name) const {
  FLARE_ASSIGN(const bool is_named, IsNamed(read, index, name));
  if (!is_named)
    return std::optional<DynamicSymbol>();
  FLARE_ASSIGN(const std::string bytes,
               ReadBytes(read, symbols_address_ + index * kSymbolBytes, kSymbolBytes));
  ByteCursor in(bytes);
  in.U32();
  const uint8_t info = in.U8();
  in.U8();
  const uint16_t section = in.U16();
  if (section == SHN_UNDEF)
    return std::optional<DynamicSymbol>();
  return DynamicSymbol{.index = index, .type = static_cast<uint8_t>(info & 0xf), .value = in.U64()};
}

absl::StatusOr<std::optional<DynamicSymbol>> LoadedImage::FindSymbol(ImageReader read,
                                                                     std::string_view name) const {
  if (symbols_address_ == 0 || names_address_ == 0)
    return std::optional<DynamicSymbol>();
  if (gnu_hash_address_ != 0)
    return FindByGnuHash(read, name);
  if (hash_address_ != 0)
    return FindByHash(read, name);
  return std::optional<DynamicSymbol>();
}

// Layout: header (bucket count, first symbol, filter words, shift), filter, buckets, symbol hashes.
absl::StatusOr<std::optional<DynamicSymbol>> LoadedImage::FindByGnuHash(
    ImageReader read, std::string_view name) const {
  constexpr uint64_t kTableHeaderBytes = 16;
  std::array<char, kTableHeaderBytes> header = {};
  FLARE_RETURN_IF_ERROR(read(gnu_hash_address_, header));
  ByteCursor in(std::string_view(header.data(), header.size()));
  const uint32_t bucket_count = in.U32();
  const uint32_t first_symbol = in.U32();
  const uint32_t filter_words = in.U32();
  const uint32_t filter_shift = in.U32();
  if (bucket_count == 0 || filter_words == 0)
    return std::optional<DynamicSymbol>();
  const uint32_t hash = GnuHash(name);
  const uint64_t filter = gnu_hash_address_ + kTableHeaderBytes;
  FLARE_ASSIGN(const uint64_t word,
               ReadNumber<uint64_t>(read, filter + hash / 64 % filter_words * uint64_t{8}));
  if ((word >> (hash % 64) & word >> (hash >> (filter_shift % 32) & 63) & 1) == 0)
    return std::optional<DynamicSymbol>();
  const uint64_t buckets = filter + uint64_t{filter_words} * 8;
  FLARE_ASSIGN(uint32_t index,
               ReadNumber<uint32_t>(read, buckets + hash % bucket_count * uint64_t{4}));
  const uint64_t hashes = buckets + uint64_t{bucket_count} * 4;
  for (uint32_t step = 0; step < kChainMax && index >= first_symbol; ++step, ++index) {
    FLARE_ASSIGN(const uint32_t other,
                 ReadNumber<uint32_t>(read, hashes + uint64_t{index - first_symbol} * 4));
    if ((other | 1) == (hash | 1)) {
      FLARE_ASSIGN(const std::optional<DynamicSymbol> symbol, Match(read, index, name));
      if (symbol.has_value())
        return symbol;
    }
    if ((other & 1) != 0)
      break;  // the last symbol of its bucket
  }
  return std::optional<DynamicSymbol>();
}

// Layout: bucket and symbol counts, buckets, and for each symbol the next one in its bucket.
absl::StatusOr<std::optional<DynamicSymbol>> LoadedImage::FindByHash(ImageReader read,
                                                                     std::string_view name) const {
  FLARE_ASSIGN(const uint32_t bucket_count, ReadNumber<uint32_t>(read, hash_address_));
  if (bucket_count == 0)
    return std::optional<DynamicSymbol>();
  const uint64_t buckets = hash_address_ + 8;
  const uint64_t chains = buckets + uint64_t{bucket_count} * 4;
  FLARE_ASSIGN(uint32_t index, ReadNumber<uint32_t>(
                                   read, buckets + SystemVHash(name) % bucket_count * uint64_t{4}));
  for (uint32_t step = 0; step < kChainMax && index != 0; ++step) {
    FLARE_ASSIGN(const std::optional<DynamicSymbol> symbol, Match(read, index, name));
    if (symbol.has_value())
      return symbol;
    FLARE_ASSIGN(index, ReadNumber<uint32_t>(read, chains + uint64_t{index} * 4));
  }
  return std::optional<DynamicSymbol>();
}

absl::StatusOr<std::vector<ThreadLocalRelocation>> LoadedImage::ThreadLocalRelocations(
    ImageReader read) const {
  std::vector<ThreadLocalRelocation> relocations;
  Table table = relocations_;
  const uint64_t relative_bytes =
      std::min(relative_count_, table.size_bytes / kRelocationBytes) * kRelocationBytes;
  table.address += relative_bytes;
  table.size_bytes -= relative_bytes;
  FLARE_RETURN_IF_ERROR(AppendRelocations(read, table, &relocations));
  FLARE_RETURN_IF_ERROR(AppendRelocations(read, plt_relocations_, &relocations));
  return relocations;
}

absl::Status LoadedImage::AppendRelocations(ImageReader read, const Table& table,
                                            std::vector<ThreadLocalRelocation>* out) const {
  if (table.address == 0)
    return absl::OkStatus();
  if (table.size_bytes > kRelocationsMax * kRelocationBytes) {
    return absl::ResourceExhaustedError(
        base::StrCat("a table of relocations with ", table.size_bytes, " bytes"));
  }
  const uint64_t end = table.size_bytes / kRelocationBytes * kRelocationBytes;
  for (uint64_t begin = 0; begin < end; begin += kPieceBytes) {
    const size_t bytes = std::min<size_t>(kPieceBytes, end - begin);
    FLARE_ASSIGN(const std::string piece, ReadBytes(read, table.address + begin, bytes));
    for (ByteCursor in(piece); !in.AtEnd();) {
      const uint64_t offset = in.U64();
      const uint64_t info = in.U64();
      const auto addend = in.Number<int64_t>();
      const auto slot = SlotOf(machine_, static_cast<uint32_t>(info));
      if (slot.has_value()) {
        out->push_back({.slot = *slot,
                        .address = bias_ + offset,
                        .symbol = static_cast<uint32_t>(info >> 32),
                        .addend = addend});
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace flarestack::elf
