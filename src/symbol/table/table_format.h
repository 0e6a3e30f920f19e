// SPDX-License-Identifier: Apache-2.0
//
// The layout of a symbol table file, shared by writer and reader; see docs/formats/symbols.md. All
// numbers are little endian. Readers must treat every byte as untrusted.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace flarestack::symbol {

// The source of a code range, best first. If two cover the same address, the better one wins.
enum class Quality : uint8_t {
  kDwarf = 0,
  kGoPclntab = 1,
  kSymtab = 2,
  kMiniDebugInfo = 3,
  kDynsym = 4,
  kEhFrame = 5,  // function bounds without names
};
inline constexpr size_t kQualityCount = 6;

std::string_view QualityName(Quality quality);

enum class IdKind : uint8_t { kGnu = 0, kGo = 1, kHtlHash = 2 };
inline constexpr size_t kIdKindCount = 3;

// An id by which a file is found: one of OTLP's three process.executable.build_id attributes.
struct FileId {
  IdKind kind = IdKind::kGnu;
  std::string text;
  friend auto operator<=>(const FileId&, const FileId&) = default;
};

inline constexpr std::string_view kTableMagic = "FSYM";
inline constexpr uint16_t kTableVersion = 1;
inline constexpr size_t kHeaderBytes = 56;
inline constexpr size_t kDirectoryEntryBytes = 32;

enum class SectionKind : uint32_t {
  kIds = 1,        // bytes
  kBlocks = 2,     // records {address, offset in the ranges}
  kRanges = 3,     // bytes
  kScopes = 4,     // records {function, parent, line, column}
  kFunctions = 5,  // records {name, file, start line, quality}
  kTexts = 6,      // bytes
  kSegments = 7,   // records {offset, address, bytes in the file, 1 if it is code}
};
inline constexpr size_t kSectionCount = 7;

enum BlockField : size_t { kBlockAddress, kBlockOffset };
enum ScopeField : size_t { kScopeFunction, kScopeParent, kScopeLine, kScopeColumn };
enum SegmentField : size_t { kSegmentOffset, kSegmentAddress, kSegmentBytes, kSegmentIsCode };
enum FunctionField : size_t { kFunctionName, kFunctionFile, kFunctionLine, kFunctionQuality };

// Ranges are grouped in blocks, so that a lookup reads only a few.
inline constexpr uint32_t kRangesPerBlock = 32;

// A function with 256 nested inlined calls.
inline constexpr size_t kFramesMax = 257;
inline constexpr size_t kTextBytesMax = 1 << 20;
// Longer ranges are rejected, and longer gaps split: two bits of the number are used for RangeForm.
inline constexpr uint64_t kRangeBytesMax = uint64_t{1} << 60;

// The two lowest bits of the first number of a range.
enum RangeForm : uint64_t { kSameScope = 0, kOtherScope = 1, kGap = 2 };

// Records of up to four numbers. Each field has a fixed width of 0 to 8 bytes, enough for the
// largest number of that field in the table.
class RecordTable {
 public:
  static constexpr size_t kFieldsMax = 4;
  using Widths = std::array<uint8_t, kFieldsMax>;

  RecordTable() = default;
  RecordTable(std::string_view bytes, const Widths& widths);

  size_t size() const { return size_; }

  // Returns 0 beyond the end.
  uint64_t At(size_t index, size_t field) const {
    if (index >= size_)
      return 0;
    const size_t offset = index * record_bytes_ + offsets_[field];
    if constexpr (std::endian::native == std::endian::little) {
      if (offset + sizeof(uint64_t) <= bytes_.size()) {
        uint64_t number = 0;
        std::memcpy(&number, bytes_.data() + offset, sizeof(number));
        return number & masks_[field];
      }
    }
    return Slowly(offset, widths_[field]);
  }

 private:
  uint64_t Slowly(size_t offset, uint8_t width) const;

  std::string_view bytes_;
  size_t size_ = 0;
  size_t record_bytes_ = 0;
  Widths widths_ = {};
  std::array<uint8_t, kFieldsMax> offsets_ = {};
  std::array<uint64_t, kFieldsMax> masks_ = {};
};

}  // namespace flarestack::symbol
