// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/java/java_lines.h"

namespace flarestack::record::runtime {
namespace {

constexpr int kBytesMax = 5;
constexpr uint32_t kLowest = 192;  // bytes from here on are followed by another
constexpr uint8_t kEscape = 0xff;

}  // namespace

uint8_t CompressedNumbers::Byte() {
  if (bytes_.empty())
    is_ok_ = false;
  if (!is_ok_)
    return 0;
  const auto byte = static_cast<uint8_t>(bytes_.front());
  bytes_.remove_prefix(1);
  return byte;
}

uint32_t CompressedNumbers::Unsigned() {
  uint32_t sum = 0;
  for (int i = 0; i < kBytesMax; ++i) {
    const uint32_t byte = Byte();
    is_ok_ = is_ok_ && byte >= excluded_;
    if (!is_ok_)
      return 0;
    sum += (byte - excluded_) << (6 * i);
    if (byte < kLowest)
      break;
  }
  return sum;
}

int32_t CompressedNumbers::Signed() {
  const uint32_t number = Unsigned();
  return static_cast<int32_t>((number >> 1) ^ (0 - (number & 1)));
}

// An entry is a byte with the distances to the one before, of the bytecode in the upper 5 bits and
// of the line in the lower 3, or a mark and two signed numbers.
JavaLines::JavaLines(std::string_view bytes, bool without_zero_bytes) {
  CompressedNumbers in(bytes, without_zero_bytes);
  uint32_t bci = 0;
  uint32_t line = 0;
  while (lines_.size() < kLinesMax) {
    const uint8_t byte = in.Byte();
    if (byte == 0)
      return;
    if (byte == kEscape) {
      bci += static_cast<uint32_t>(in.Signed());
      line += static_cast<uint32_t>(in.Signed());
    } else {
      bci += byte >> 3;
      line += byte & 7;
    }
    if (!in.ok())
      return;
    lines_.push_back({.bci = bci, .line = static_cast<int32_t>(line)});
  }
}

int64_t JavaLines::At(uint32_t bci) const {
  const JavaLine* best = nullptr;
  for (const JavaLine& line : lines_) {
    if (line.bci == bci)
      return line.line > 0 ? line.line : 0;
    if (line.bci < bci && (best == nullptr || line.bci >= best->bci))
      best = &line;
  }
  return best != nullptr && best->line > 0 ? best->line : 0;
}

}  // namespace flarestack::record::runtime
