// SPDX-License-Identifier: Apache-2.0
//
// HotSpot's compressed numbers and its tables of line numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace flarestack::record::runtime {

// Reads numbers of one to five bytes, in the UNSIGNED5 encoding of Pack200: the low 6 bits of each
// byte are added at 64 times the place of the one before, until a byte is below 192. Since JDK 20
// each byte is larger by one, so that none is zero.
class CompressedNumbers {
 public:
  CompressedNumbers(std::string_view bytes, bool without_zero_bytes)
      : bytes_(bytes), excluded_(without_zero_bytes ? 1 : 0) {}

  // Yields 0 beyond the end, and from then on.
  uint8_t Byte();
  uint32_t Unsigned();
  int32_t Signed();  // the sign is the lowest bit

  bool ok() const { return is_ok_; }

 private:
  std::string_view bytes_;
  uint32_t excluded_;
  bool is_ok_ = true;
};

struct JavaLine {
  uint32_t bci = 0;  // index of the first bytecode
  int32_t line = 0;

  friend bool operator==(const JavaLine&, const JavaLine&) = default;
};

class JavaLines {
 public:
  static constexpr size_t kLinesMax = 65536;

  JavaLines() = default;
  // Decodes up to the end mark, or as far as it goes.
  JavaLines(std::string_view bytes, bool without_zero_bytes);

  // 0 if unknown.
  int64_t At(uint32_t bci) const;
  size_t size() const { return lines_.size(); }

 private:
  std::vector<JavaLine> lines_;  // in the compiler's order, which need not be ascending
};

}  // namespace flarestack::record::runtime
