// SPDX-License-Identifier: Apache-2.0
#include "elf/testing/loaded_image_builder.h"

#include <elf.h>

#include <cstring>

#include "base/check.h"

namespace flarestack::elf::testing {
namespace {

constexpr uint64_t kSegments = 64;
constexpr uint64_t kDynamic = 0x180;
constexpr uint64_t kSymbols = 0x280;
constexpr uint64_t kNames = 0x300;
constexpr uint64_t kHash = 0x380;
constexpr uint64_t kRelocations = 0x400;

template <typename T>
void Put(uint64_t offset, const T& value, std::string* image) {
  FLARE_CHECK(offset + sizeof(value) <= image->size(), offset);
  std::memcpy(image->data() + offset, &value, sizeof(value));
}

}  // namespace

std::string LoadedImageBuilder::Build() const {
  std::string image(kImageBytes, '\0');
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
  header.e_machine = machine;
  header.e_phoff = kSegments;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 3;
  Put(0, header, &image);
  const Elf64_Phdr segments[] = {
      {.p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = kImageBytes, .p_memsz = kImageBytes},
      {.p_type = PT_DYNAMIC, .p_offset = kDynamic, .p_vaddr = kDynamic, .p_memsz = 0x100},
      {.p_type = PT_TLS,
       .p_offset = tls_address,
       .p_vaddr = tls_address,
       .p_memsz = tls_bytes,
       .p_align = tls_alignment}};
  Put(kSegments, segments, &image);
  const std::pair<int64_t, uint64_t> dynamic[] = {
      {DT_SYMTAB, kSymbols + pointer_bias},
      {DT_STRTAB, kNames + pointer_bias},
      {DT_HASH, kHash + pointer_bias},
      {DT_RELA, kRelocations + pointer_bias},
      {DT_RELASZ, relocations.size() * sizeof(Elf64_Rela)},
      {DT_NULL, 0}};
  for (size_t i = 0; i < std::size(dynamic); ++i) {
    Put(kDynamic + i * 16, dynamic[i].first, &image);
    Put(kDynamic + i * 16 + 8, dynamic[i].second, &image);
  }
  const Elf64_Sym symbols[] = {
      {},
      {.st_name = 1, .st_info = symbol_type, .st_shndx = 5, .st_value = symbol_value},
      {.st_name = static_cast<uint32_t>(variable.size() + 2), .st_info = symbol_type}};
  Put(kSymbols, symbols, &image);
  const std::string names = '\0' + variable + '\0' + "elsewhere" + '\0';
  FLARE_CHECK(names.size() <= kHash - kNames);
  image.replace(kNames, names.size(), names);
  // One bucket for all symbols: symbol 2, then symbol 1.
  const uint32_t hash[] = {1, 3, 2, 0, 0, 1};
  Put(kHash, hash, &image);
  for (size_t i = 0; i < relocations.size(); ++i) {
    const ImageRelocation& from = relocations[i];
    const Elf64_Rela relocation = {.r_offset = from.offset,
                                   .r_info = uint64_t{from.symbol} << 32 | from.type,
                                   .r_addend = from.addend};
    Put(kRelocations + i * sizeof(relocation), relocation, &image);
  }
  for (const auto& [place, value] : words)
    Put(place, value, &image);
  return image;
}

absl::Status ImageMemory::Read(uint64_t address, std::span<char> out) const {
  const uint64_t offset = address - address_;
  if (offset > bytes_.size() || out.size() > bytes_.size() - offset)
    return absl::OutOfRangeError("nothing is there");
  std::memcpy(out.data(), bytes_.data() + offset, out.size());
  return absl::OkStatus();
}

}  // namespace flarestack::elf::testing
