// SPDX-License-Identifier: Apache-2.0
#include "elf/elf_symbols.h"

#include <elf.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "base/status.h"
#include "elf/byte_cursor.h"
#include "elf/symbol_ranges.h"

namespace flarestack::elf {
namespace {

using base::StrCat;

constexpr uint64_t kSymbolBytes = 24;
// Names may share bytes, because linkers store one as a suffix of another. Honest tables share
// little.
constexpr uint64_t kNameSharingMax = 16;
constexpr uint64_t kNameBytesAlways = 1 << 20;

bool IsExecutable(const Section& section) {
  return (section.flags & SHF_EXECINSTR) != 0 && (section.flags & SHF_ALLOC) != 0;
}

void AppendCode(const ElfFile& file, std::vector<AddressRange>* code) {
  for (const Section& section : file.sections()) {
    uint64_t end = 0;
    if (IsExecutable(section) && section.size_bytes > 0 &&
        !__builtin_add_overflow(section.address, section.size_bytes, &end))
      code->push_back({.begin = section.address, .end = end});
  }
}

// "$x", "$d.12" and similar symbols mark code and data on ARM and RISC-V; they name nothing.
bool IsMappingSymbol(uint16_t machine, std::string_view name) {
  if (machine != EM_AARCH64 && machine != EM_ARM && machine != EM_RISCV)
    return false;
  return name.size() >= 2 && name[0] == '$' &&
         std::string_view("adtx").find(name[1]) != std::string_view::npos &&
         (name.size() == 2 || name[2] == '.' || machine == EM_RISCV);
}

// "memcpy@@GLIBC_2.14" becomes memcpy. Names from Microsoft's compilers begin with '?' and contain
// many @, so they are kept.
std::string_view WithoutVersion(std::string_view name) {
  const size_t at = name.find('@');
  return at == 0 || name.starts_with('?') ? name : name.substr(0, at);
}

SymbolRank RankOf(unsigned binding) {
  if (binding == STB_LOCAL)
    return SymbolRank::kLocal;
  return binding == STB_WEAK ? SymbolRank::kWeak : SymbolRank::kGlobal;
}

class TableReader {
 public:
  TableReader(const ElfFile& file, const Section& table) : file_(file) {
    if ((table.flags & SHF_COMPRESSED) != 0 || table.link >= file.sections().size())
      return;
    const Section& names = file.sections()[table.link];
    if ((names.flags & SHF_COMPRESSED) == 0)
      names_ = file.SectionBytes(names);
    entries_ = file.SectionBytes(table);
    name_bytes_left_ = names_.size() * kNameSharingMax + kNameBytesAlways;
  }

  uint64_t entry_count() const { return entries_.size() / kSymbolBytes; }

  absl::Status Append(std::vector<RawSymbol>* symbols) {
    ByteCursor in(entries_.substr(0, entry_count() * kSymbolBytes));
    while (!in.AtEnd()) {
      const uint32_t name_offset = in.U32();
      const uint8_t info = in.U8();
      in.U8();  // visibility
      const uint16_t section_index = in.U16();
      RawSymbol symbol;
      symbol.begin = in.U64();
      symbol.size_bytes = in.U64();
      symbol.rank = RankOf(info >> 4);
      symbol.is_label = (info & 0xf) == STT_NOTYPE;
      if (!IsWanted(info & 0xf, section_index))
        continue;
      FLARE_ASSIGN(symbol.name, NameAt(name_offset));
      if (symbol.name.empty() || IsMappingSymbol(file_.machine(), symbol.name) ||
          (symbol.is_label && symbol.name.starts_with(".L")))
        continue;
      symbols->push_back(symbol);
    }
    return absl::OkStatus();
  }

 private:
  bool IsWanted(unsigned type, uint16_t section_index) const {
    if (section_index == SHN_UNDEF || section_index == SHN_COMMON)
      return false;
    if (type == STT_FUNC || type == STT_GNU_IFUNC)
      return true;
    // A label outside code is data, even if its address equals the end of the code.
    return type == STT_NOTYPE && section_index < file_.sections().size() &&
           IsExecutable(file_.sections()[section_index]);
  }

  absl::StatusOr<std::string_view> NameAt(uint32_t offset) {
    if (offset >= names_.size())
      return std::string_view();
    const std::string_view rest = names_.substr(offset);
    const std::string_view name =
        rest.substr(0, std::min<uint64_t>(name_bytes_left_ + 1, rest.size()));
    const size_t length = std::min(name.find('\0'), name.size());
    if (length > name_bytes_left_) {
      return absl::ResourceExhaustedError(
          StrCat("the names of symbols overlap more than ", kNameSharingMax, " times"));
    }
    name_bytes_left_ -= length;
    return WithoutVersion(name.substr(0, length));
  }

  const ElfFile& file_;
  std::string_view entries_;
  std::string_view names_;
  uint64_t name_bytes_left_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<ElfSymbol>> ReadFunctionSymbols(const ElfFile& file,
                                                           const SymbolLimits& limits) {
  const ElfFile* const files[] = {&file};
  return ReadFunctionSymbols(files, limits);
}

absl::StatusOr<std::vector<ElfSymbol>> ReadFunctionSymbols(std::span<const ElfFile* const> files,
                                                           const SymbolLimits& limits) {
  std::vector<AddressRange> code;
  std::vector<RawSymbol> symbols;
  uint64_t entry_count = 0;
  for (const ElfFile* file : files) {
    if (file->type() == ET_REL) {
      return absl::UnimplementedError(
          "a relocatable file (an object or kernel module): its symbols have no addresses yet");
    }
    AppendCode(*file, &code);
    for (const Section& section : file->sections()) {
      if (section.type != SHT_SYMTAB && section.type != SHT_DYNSYM)
        continue;
      TableReader table(*file, section);
      entry_count += table.entry_count();
      if (entry_count > limits.symbols_max) {
        return absl::ResourceExhaustedError(
            StrCat("at least ", entry_count, " symbols, the limit is ", limits.symbols_max));
      }
      FLARE_RETURN_IF_ERROR(
          base::WithContext(StrCat("section ", section.name), table.Append(&symbols)));
    }
  }
  JoinOverlapping(&code);
  return MakeSymbolRanges(std::move(symbols), code);
}

const ElfSymbol* FindSymbol(std::span<const ElfSymbol> symbols, uint64_t address) {
  const auto after = std::upper_bound(symbols.begin(), symbols.end(), address,
                                      [](uint64_t a, const ElfSymbol& s) { return a < s.begin; });
  if (after == symbols.begin() || address >= std::prev(after)->end)
    return nullptr;
  return &*std::prev(after);
}

absl::Status VisitSymbols(const ElfFile& file, CodeRangeVisitor visit) {
  FLARE_ASSIGN(const std::vector<ElfSymbol> symbols, ReadFunctionSymbols(file));
  for (const ElfSymbol& symbol : symbols) {
    const SourceFrame frame = {.function = symbol.name};
    FLARE_RETURN_IF_ERROR(
        visit({.begin = symbol.begin, .end = symbol.end, .frames = std::span(&frame, 1)}));
  }
  return absl::OkStatus();
}

}  // namespace flarestack::elf
