// SPDX-License-Identifier: Apache-2.0
#include "symbol/table/table_format.h"

namespace flarestack::symbol {

std::string_view QualityName(Quality quality) {
  constexpr std::array<std::string_view, kQualityCount> kNames = {
      "dwarf", "go pclntab", "symtab", "mini debug info", "dynsym", "eh_frame"};
  return kNames[static_cast<size_t>(quality)];
}

RecordTable::RecordTable(std::string_view bytes, const Widths& widths)
    : bytes_(bytes), widths_(widths) {
  for (size_t i = 0; i < kFieldsMax; ++i) {
    offsets_[i] = static_cast<uint8_t>(record_bytes_);
    masks_[i] = widths[i] == 0 ? 0 : ~uint64_t{0} >> (64 - 8 * widths[i]);
    record_bytes_ += widths[i];
  }
  size_ = record_bytes_ == 0 ? 0 : bytes.size() / record_bytes_;
}

uint64_t RecordTable::Slowly(size_t offset, uint8_t width) const {
  uint64_t number = 0;
  for (size_t i = width; i-- > 0;)
    number = number << 8 | static_cast<uint8_t>(bytes_[offset + i]);
  return number;
}

}  // namespace flarestack::symbol
