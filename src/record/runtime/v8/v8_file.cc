// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/v8/v8_file.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/status.h"
#include "elf/byte_cursor.h"
#include "record/runtime/v8/v8_layout.h"

namespace flarestack::record::runtime {
namespace {

constexpr uint64_t kSymbolBytes = 24;
constexpr uint64_t kSymbolsMax = uint64_t{1} << 22;
constexpr size_t kNameBytesMax = 256;
constexpr size_t kConstantsMax = 4096;
constexpr size_t kBuiltinsMax = 16384;
constexpr uint64_t kBuiltinBytesMax = uint64_t{64} << 20;
constexpr size_t kFrameTypesMax = 64;
constexpr size_t kBytecodesMax = 256;
constexpr int kScaleCount = 3;  // of operands: single, double, quadruple

constexpr std::string_view kConstantPrefix = "v8dbg_";
constexpr std::string_view kFrameTypePrefix = "frametype_";
constexpr std::string_view kBuiltinPrefix = "Builtins_";
// node::per_process::metadata, whose first member is the version.
constexpr std::string_view kNodeVersion = "_ZN4node11per_process8metadataE";

// Collects the symbols that matter from both symbol tables.
class SymbolReader {
 public:
  explicit SymbolReader(const elf::ElfFile& file) : file_(file) {}

  absl::Status Read() {
    uint64_t count = 0;
    for (const elf::Section& section : file_.sections()) {
      if (section.type != SHT_SYMTAB && section.type != SHT_DYNSYM)
        continue;
      const std::string_view entries = file_.SectionBytes(section);
      if (section.link >= file_.sections().size())
        continue;
      const std::string_view names = file_.SectionBytes(file_.sections()[section.link]);
      count += entries.size() / kSymbolBytes;
      if (count > kSymbolsMax) {
        return absl::ResourceExhaustedError(
            base::StrCat(count, " symbols, the limit is ", kSymbolsMax));
      }
      for (uint64_t at = 0; at + kSymbolBytes <= entries.size(); at += kSymbolBytes)
        AddSymbol(entries.substr(at, kSymbolBytes), names);
    }
    return absl::OkStatus();
  }

  std::optional<int32_t> NumberAt(std::string_view symbol) const {
    const auto found = addresses_.find(symbol);
    if (found == addresses_.end())
      return std::nullopt;
    return Number(found->second.first);
  }

  std::optional<std::pair<uint64_t, uint64_t>> AddressOf(std::string_view symbol) const {
    const auto found = addresses_.find(symbol);
    return found == addresses_.end() ? std::nullopt : std::optional(found->second);
  }

  const V8Constants& constants() const { return constants_; }
  std::vector<V8Builtin> TakeBuiltins() {
    std::sort(builtins_.begin(), builtins_.end(),
              [](const V8Builtin& a, const V8Builtin& b) { return a.begin < b.begin; });
    return std::move(builtins_);
  }

 private:
  void AddSymbol(std::string_view entry, std::string_view names) {
    elf::ByteCursor in(entry);
    const uint32_t name_offset = in.U32();
    const uint8_t info = in.U8();
    in.U8();
    const uint16_t section = in.U16();
    const uint64_t address = in.U64();
    const uint64_t size = in.U64();
    if (section == SHN_UNDEF || name_offset >= names.size())
      return;
    const std::string_view rest = names.substr(name_offset, kNameBytesMax);
    const std::string_view name = rest.substr(0, rest.find('\0'));
    if (name.starts_with(kConstantPrefix)) {
      if (const auto number = Number(address); number && constants_.size() < kConstantsMax)
        constants_.emplace(name.substr(kConstantPrefix.size()), *number);
    } else if (name.starts_with(kBuiltinPrefix)) {
      if (builtins_.size() < kBuiltinsMax && (info & 0xf) == STT_FUNC && size <= kBuiltinBytesMax)
        builtins_.push_back({.begin = address, .end = address + size, .name = std::string(name)});
    } else if (name == kNodeVersion) {
      addresses_.emplace(name, std::pair(address, size));
    } else if (name.starts_with("_ZN2v88internal") || name.starts_with("v8_Default_embedded")) {
      if (name.ends_with("_E") || name.ends_with("kBytecodeSizesE") ||
          name.starts_with("v8_Default_embedded") || name.ends_with("EmbeddedBlobCodeEv") ||
          name.ends_with("EmbeddedBlobCodeSizeEv"))
        addresses_.emplace(name, std::pair(address, size));
    }
  }

  std::optional<int32_t> Number(uint64_t address) const {
    const std::string_view bytes = file_.BytesFromAddress(address);
    int32_t value = 0;
    if (bytes.size() < sizeof(value))
      return std::nullopt;
    std::memcpy(&value, bytes.data(), sizeof(value));
    return value;
  }

  const elf::ElfFile& file_;
  V8Constants constants_;
  std::vector<V8Builtin> builtins_;
  absl::flat_hash_map<std::string_view, std::pair<uint64_t, uint64_t>> addresses_;
};

// What the code of a function of x86-64 returns, if it is a constant or one load. A stripped file
// exports functions that return the address and the size of the builtins, but not the variables.
class ReturnedNumber {
 public:
  explicit ReturnedNumber(const elf::ElfFile& file) : file_(file) {}

  std::optional<uint64_t> Of(uint64_t function) const {
    std::string_view code = file_.BytesFromAddress(function);
    if (file_.machine() != EM_X86_64 || code.size() < kCodeBytes)
      return std::nullopt;
    if (code.starts_with("\xf3\x0f\x1e\xfa")) {  // endbr64
      code.remove_prefix(4);
      function += 4;
    }
    if (code.starts_with("\xb8"))  // mov $x,%eax
      return static_cast<uint32_t>(NumberIn(code, 1));
    if (code.starts_with("\x8b\x05"))  // mov x(%rip),%eax
      return Load(function + 6 + NumberIn(code, 2), 4);
    const uint64_t target = function + 7 + NumberIn(code, 3);
    if (code.starts_with("\x48\x8b\x05"))  // mov x(%rip),%rax
      return Load(target, 8);
    if (!code.starts_with("\x48\x8d\x05"))  // lea x(%rip),%rax
      return std::nullopt;
    code.remove_prefix(7);
    if (code.starts_with(std::string_view("\x48\x8b\x00", 3)))  // mov (%rax),%rax
      return Load(target, 8);
    if (code.starts_with(std::string_view("\x8b\x00", 2)))  // mov (%rax),%eax
      return Load(target, 4);
    return target;
  }

 private:
  static constexpr size_t kCodeBytes = 32;

  static uint64_t NumberIn(std::string_view code, size_t offset) {
    int32_t value = 0;
    std::memcpy(&value, code.data() + offset, sizeof(value));
    return static_cast<uint64_t>(int64_t{value});
  }

  // A pointer may be written only when the file is loaded.
  std::optional<uint64_t> Load(uint64_t address, size_t bytes) const {
    for (const elf::Section& section : file_.sections()) {
      if (section.type != SHT_RELA || bytes != 8)
        continue;
      const std::string_view entries = file_.SectionBytes(section);
      for (uint64_t at = 0; at + kSymbolBytes <= entries.size(); at += kSymbolBytes) {
        elf::ByteCursor in(entries.substr(at, kSymbolBytes));
        const uint64_t place = in.U64();
        const uint64_t type = in.U64();
        if (place == address && type == R_X86_64_RELATIVE)
          return in.U64();
      }
    }
    const std::string_view data = file_.BytesFromAddress(address);
    uint64_t value = 0;
    if (data.size() < bytes)
      return std::nullopt;
    std::memcpy(&value, data.data(), bytes);
    return value;
  }

  const elf::ElfFile& file_;
};

absl::StatusOr<V8Version> ReadVersion(const SymbolReader& symbols) {
  V8Version version;
  const std::pair<std::string_view, uint32_t*> parts[] = {
      {"_ZN2v88internal7Version6major_E", &version.major},
      {"_ZN2v88internal7Version6minor_E", &version.minor},
      {"_ZN2v88internal7Version6build_E", &version.build},
      {"_ZN2v88internal7Version6patch_E", &version.patch},
  };
  for (const auto& [name, target] : parts) {
    const auto number = symbols.NumberAt(name);
    if (!number.has_value() || *number < 0)
      return absl::NotFoundError("not V8: no version");
    *target = static_cast<uint32_t>(*number);
  }
  return version;
}

absl::Status ReadBuiltinRange(const elf::ElfFile& file, const SymbolReader& symbols, V8File* v8) {
  // Since V8 11, the symbol is the code itself. Before, it is a pointer to it, relocated when the
  // file is loaded.
  auto code = symbols.AddressOf("v8_Default_embedded_blob_code_data_");
  if (!code.has_value())
    code = symbols.AddressOf("v8_Default_embedded_blob_code_");
  const auto size = symbols.NumberAt("v8_Default_embedded_blob_code_size_");
  uint64_t begin = code.has_value() ? code->first : 0;
  uint64_t bytes = size.has_value() && *size > 0 ? static_cast<uint64_t>(*size) : 0;
  if (begin == 0 || bytes == 0) {
    const auto begin_of = symbols.AddressOf("_ZN2v88internal23DefaultEmbeddedBlobCodeEv");
    const auto size_of = symbols.AddressOf("_ZN2v88internal27DefaultEmbeddedBlobCodeSizeEv");
    if (begin_of && size_of) {
      const ReturnedNumber returned(file);
      begin = returned.Of(begin_of->first).value_or(0);
      bytes = returned.Of(size_of->first).value_or(0);
    }
  }
  if (begin == 0 || bytes == 0 || bytes > kBuiltinBytesMax ||
      file.BytesFromAddress(begin).size() < bytes) {
    return absl::InvalidArgumentError(
        base::StrCat("V8 ", v8->version.Text(),
                     " without symbol v8_Default_embedded_blob_code_: install a Node.js that is "
                     "not stripped"));
  }
  v8->builtins_begin = begin;
  v8->builtins_end = begin + bytes;
  return absl::OkStatus();
}

void ReadBytecodeSizes(const elf::ElfFile& file, const SymbolReader& symbols, V8File* v8) {
  const auto table = symbols.AddressOf("_ZN2v88internal11interpreter9Bytecodes14kBytecodeSizesE");
  if (!table.has_value() || table->second % kScaleCount != 0 ||
      table->second > kScaleCount * kBytecodesMax)
    return;
  const std::string_view bytes = file.BytesFromAddress(table->first).substr(0, table->second);
  if (bytes.size() == table->second)
    v8->bytecode_sizes.assign(bytes.begin(), bytes.end());
}

void ReadFrameTypes(const V8Constants& constants, V8File* v8) {
  v8->frame_types.resize(kFrameTypesMax);
  for (const auto& [name, value] : constants) {
    if (name.starts_with(kFrameTypePrefix) && value >= 0 &&
        value < static_cast<int32_t>(kFrameTypesMax))
      v8->frame_types[static_cast<size_t>(value)] = name.substr(kFrameTypePrefix.size());
  }
}

}  // namespace

std::string V8Version::Text() const {
  return base::StrCat(major, ".", minor, ".", build, ".", patch);
}

absl::StatusOr<V8File> V8File::Read(const elf::ElfFile& file) {
  SymbolReader symbols(file);
  FLARE_RETURN_IF_ERROR(symbols.Read());
  V8File v8;
  FLARE_ASSIGN(v8.version, ReadVersion(symbols));
  FLARE_ASSIGN(v8.layout, MakeV8Layout(v8.version, symbols.constants()));
  FLARE_RETURN_IF_ERROR(ReadBuiltinRange(file, symbols, &v8));
  v8.machine = file.machine();
  if (const auto node = symbols.AddressOf(kNodeVersion); node.has_value())
    v8.node_version = node->first;
  v8.builtins = symbols.TakeBuiltins();
  std::erase_if(v8.builtins, [&v8](const V8Builtin& builtin) {
    return builtin.begin < v8.builtins_begin || builtin.end > v8.builtins_end;
  });
  ReadFrameTypes(symbols.constants(), &v8);
  ReadBytecodeSizes(file, symbols, &v8);
  return v8;
}

const V8Builtin* V8File::FindBuiltin(uint64_t address) const {
  const auto after =
      std::upper_bound(builtins.begin(), builtins.end(), address,
                       [](uint64_t a, const V8Builtin& builtin) { return a < builtin.begin; });
  if (after == builtins.begin() || address >= std::prev(after)->end)
    return nullptr;
  return &*std::prev(after);
}

}  // namespace flarestack::record::runtime
