// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/v8/v8_heap.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "base/status.h"

namespace flarestack::record::runtime {
namespace {

constexpr int kStringPartsMax = 256;  // of one string, such as a chain of concatenations
constexpr int32_t kUncachedExternalBit = 16;

bool IsPointer(uint64_t word) { return (word & 1) == 1 && word >> 56 == 0 && word > 4096; }
bool IsSmi(uint64_t word) { return (word & 0xffffffff) == 0; }

void AppendUtf8(char32_t point, std::string* out) {
  if (point < 0x80) {
    out->push_back(static_cast<char>(point));
  } else if (point < 0x800) {
    out->push_back(static_cast<char>(0xc0 | (point >> 6)));
    out->push_back(static_cast<char>(0x80 | (point & 0x3f)));
  } else if (point < 0x10000) {
    out->push_back(static_cast<char>(0xe0 | (point >> 12)));
    out->push_back(static_cast<char>(0x80 | ((point >> 6) & 0x3f)));
    out->push_back(static_cast<char>(0x80 | (point & 0x3f)));
  } else {
    out->push_back(static_cast<char>(0xf0 | (point >> 18)));
    out->push_back(static_cast<char>(0x80 | ((point >> 12) & 0x3f)));
    out->push_back(static_cast<char>(0x80 | ((point >> 6) & 0x3f)));
    out->push_back(static_cast<char>(0x80 | (point & 0x3f)));
  }
}

// A surrogate without its partner becomes U+FFFD.
std::string ToUtf8(const std::u16string& units, size_t bytes_max) {
  constexpr size_t kPointBytesMax = 4;
  std::string out;
  for (size_t i = 0; i < units.size() && out.size() + kPointBytesMax <= bytes_max; ++i) {
    char32_t point = units[i];
    const bool is_high = (point & 0xfc00) == 0xd800;
    if (is_high && i + 1 < units.size() && (units[i + 1] & 0xfc00) == 0xdc00) {
      point = 0x10000 + ((point & 0x3ff) << 10) + (units[++i] & 0x3ffu);
    } else if ((point & 0xf800) == 0xd800) {
      point = 0xfffd;
    }
    AppendUtf8(point, &out);
  }
  return out;
}

absl::Status NotOfForm(std::string_view form, uint64_t word) {
  return absl::InvalidArgumentError(base::StrCat("not a ", form, " of V8: ", base::Hex(word)));
}

}  // namespace

absl::StatusOr<uint64_t> V8Heap::Word(uint64_t object, int32_t offset) const {
  std::array<char, sizeof(uint64_t)> bytes = {};
  FLARE_RETURN_IF_ERROR(read_(object + static_cast<uint64_t>(int64_t{offset}), bytes));
  return std::bit_cast<uint64_t>(bytes);
}

absl::StatusOr<int32_t> V8Heap::Half(uint64_t object, int32_t offset) const {
  std::array<char, sizeof(int32_t)> bytes = {};
  FLARE_RETURN_IF_ERROR(read_(object + static_cast<uint64_t>(int64_t{offset}), bytes));
  return std::bit_cast<int32_t>(bytes);
}

absl::StatusOr<uint64_t> V8Heap::Pointer(uint64_t object, int32_t offset) const {
  FLARE_ASSIGN(const uint64_t word, Word(object, offset));
  if (!IsPointer(word))
    return NotOfForm("pointer", word);
  return word & ~uint64_t{3};
}

absl::StatusOr<int32_t> V8Heap::Smi(uint64_t object, int32_t offset) const {
  FLARE_ASSIGN(const uint64_t word, Word(object, offset));
  if (!IsSmi(word))
    return NotOfForm("small integer", word);
  return static_cast<int32_t>(word >> 32);
}

absl::StatusOr<int32_t> V8Heap::Type(uint64_t object) const {
  FLARE_ASSIGN(const uint64_t map, Pointer(object, 0));
  std::array<char, sizeof(uint16_t)> bytes = {};
  FLARE_RETURN_IF_ERROR(read_(map + static_cast<uint64_t>(layout_.map_instance_type), bytes));
  return std::bit_cast<uint16_t>(bytes);
}

absl::Status V8Heap::ExpectType(uint64_t object, int32_t type) const {
  FLARE_ASSIGN(const int32_t found, Type(object));
  if (found == type)
    return absl::OkStatus();
  return absl::InvalidArgumentError(base::StrCat("object of V8 at ", base::Hex(object),
                                                 " has type ", found, " instead of ", type));
}

absl::StatusOr<int32_t> V8Heap::ArrayLength(uint64_t array) const {
  FLARE_ASSIGN(const int32_t length, Smi(array, layout_.array_length));
  if (length < 0)
    return absl::InvalidArgumentError(base::StrCat("array of V8 with length ", length));
  return length;
}

absl::StatusOr<uint64_t> V8Heap::ArrayPointer(uint64_t array, int32_t index) const {
  FLARE_ASSIGN(const int32_t length, ArrayLength(array));
  if (index < 0 || index >= length)
    return absl::OutOfRangeError(base::StrCat("index ", index, " of ", length));
  return Pointer(array + 8 * static_cast<uint64_t>(index), layout_.array_data);
}

absl::StatusOr<std::string> V8Heap::ByteArray(uint64_t array, size_t bytes_max) const {
  FLARE_ASSIGN(const int32_t length, ArrayLength(array));
  if (static_cast<size_t>(length) > bytes_max) {
    return absl::ResourceExhaustedError(
        base::StrCat("byte array of V8 with ", length, " bytes, the limit is ", bytes_max));
  }
  std::string bytes(static_cast<size_t>(length), '\0');
  FLARE_RETURN_IF_ERROR(read_(array + static_cast<uint64_t>(layout_.array_data), bytes));
  return bytes;
}

absl::Status V8Heap::AppendFlat(const Part& part, int32_t type, std::u16string* units) const {
  const V8Layout::String& string = layout_.string;
  const bool is_one_byte = (type & string.one_byte_tag) != 0;
  const uint64_t unit_bytes = is_one_byte ? 1 : 2;
  uint64_t chars = part.object + static_cast<uint64_t>(string.chars);
  if ((type & string.representation_mask) == string.external_tag) {
    if ((type & kUncachedExternalBit) != 0)
      return absl::UnimplementedError("an external string without cached data");
    FLARE_ASSIGN(chars, Word(part.object, string.external_resource + 8));
  }
  std::string bytes(part.count * unit_bytes, '\0');
  FLARE_RETURN_IF_ERROR(read_(chars + part.begin * unit_bytes, bytes));
  const size_t before = units->size();
  units->resize(before + part.count);
  for (size_t i = 0; is_one_byte && i < part.count; ++i)
    (*units)[before + i] = static_cast<uint8_t>(bytes[i]);
  if (!is_one_byte)
    std::memcpy(units->data() + before, bytes.data(), bytes.size());
  return absl::OkStatus();
}

absl::StatusOr<std::u16string> V8Heap::Units(uint64_t object, const UnitRange& range) const {
  const V8Layout::String& string = layout_.string;
  std::u16string units;
  std::vector<Part> parts = {{.object = object, .begin = range.begin, .count = range.count}};
  for (int i = 0; !parts.empty() && units.size() < range.count; ++i) {
    if (i == kStringPartsMax)
      return absl::ResourceExhaustedError("a string of V8 has too many parts");
    Part part = parts.back();
    parts.pop_back();
    FLARE_ASSIGN(const int32_t type, Type(part.object));
    if (type >= layout_.type.string_end) {
      return absl::InvalidArgumentError(
          base::StrCat("object of V8 at ", base::Hex(part.object), " is not a string"));
    }
    FLARE_ASSIGN(const int32_t length, Half(part.object, string.length));
    if (length < 0 || part.begin > static_cast<size_t>(length))
      return absl::InvalidArgumentError("length of a string of V8");
    part.count = std::min(
        {part.count, range.count - units.size(), static_cast<size_t>(length) - part.begin});
    if (part.count == 0)
      continue;
    const int32_t representation = type & string.representation_mask;
    if (representation == string.cons_tag) {
      FLARE_ASSIGN(const uint64_t second, Pointer(part.object, string.cons_second));
      FLARE_ASSIGN(const uint64_t first, Pointer(part.object, string.cons_first));
      FLARE_ASSIGN(const int32_t first_length, Half(first, string.length));
      const size_t taken = std::max(first_length, 0);
      if (part.begin + part.count > taken) {
        const size_t begin = std::max(part.begin, taken) - taken;
        parts.push_back(
            {.object = second, .begin = begin, .count = part.begin + part.count - taken - begin});
      }
      if (part.begin < taken)
        parts.push_back({.object = first,
                         .begin = part.begin,
                         .count = std::min(part.count, taken - part.begin)});
    } else if (representation == string.thin_tag) {
      FLARE_ASSIGN(part.object, Pointer(part.object, string.thin_actual));
      parts.push_back(part);
    } else if (representation == string.sliced_tag) {
      FLARE_ASSIGN(const int32_t offset, Smi(part.object, string.sliced_offset));
      FLARE_ASSIGN(part.object, Pointer(part.object, string.sliced_parent));
      part.begin += static_cast<size_t>(std::max(offset, 0));
      parts.push_back(part);
    } else {
      FLARE_RETURN_IF_ERROR(AppendFlat(part, type, &units));
    }
  }
  return units;
}

absl::StatusOr<std::string> V8Heap::String(uint64_t object, size_t bytes_max) const {
  FLARE_ASSIGN(const std::u16string units, Units(object, {.begin = 0, .count = bytes_max}));
  return ToUtf8(units, bytes_max);
}

}  // namespace flarestack::record::runtime
