// SPDX-License-Identifier: Apache-2.0
//
// Reads little-endian numbers, LEB128 and strings from untrusted bytes. Like base::ByteReader it
// never reads past the end: after the first bad read it returns zeros, and the caller checks `ok()`
// once. It also tracks its position, because offsets in ELF and unwind tables are relative to it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace flarestack::elf {

class ByteCursor {
 public:
  explicit ByteCursor(std::string_view bytes, uint64_t position = 0) : bytes_(bytes) {
    SeekTo(position);
  }

  template <typename T>
  T Number() {
    static_assert(std::endian::native == std::endian::little && std::is_integral_v<T>);
    const std::string_view taken = Take(sizeof(T));
    T value = 0;
    if (taken.size() == sizeof(T))
      std::memcpy(&value, taken.data(), sizeof(T));
    return value;
  }

  uint8_t U8() { return Number<uint8_t>(); }
  uint16_t U16() { return Number<uint16_t>(); }
  uint32_t U32() { return Number<uint32_t>(); }
  uint64_t U64() { return Number<uint64_t>(); }

  // Fails for a value above 64 bits. Zero padding is valid, because assemblers write it.
  uint64_t Uleb() {
    if (ok_ && position_ < bytes_.size()) {  // fast path: nearly all have one byte
      const auto only = static_cast<uint8_t>(bytes_[position_]);
      if (only < 0x80) {
        ++position_;
        return only;
      }
    }
    uint64_t value = 0;
    for (unsigned shift = 0; shift < kLebBitsMax; shift += 7) {
      const uint8_t byte = U8();
      const uint64_t part = byte & 0x7fu;
      const uint64_t shifted = shift < 64 ? part << shift : 0;
      if (part != 0 && (shift >= 64 || shifted >> shift != part))
        return Fail();
      value |= shifted;
      if (byte < 0x80)
        return value;
    }
    return Fail();
  }

  int64_t Sleb() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < kLebBitsMax; shift += 7) {
      const uint8_t byte = U8();
      if (shift < 64)
        value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) {
        if ((byte & 0x40) != 0 && shift + 7 < 64)
          value |= ~uint64_t{0} << (shift + 7);
        return static_cast<int64_t>(value);
      }
    }
    return static_cast<int64_t>(Fail());
  }

  // Reads up to and including the next NUL. Fails if there is none.
  std::string_view Text() {
    const size_t end = rest().find('\0');
    if (end == std::string_view::npos) {
      Fail();
      return {};
    }
    const std::string_view text = Take(end);
    Take(1);
    return text;
  }

  std::string_view Take(uint64_t count) {
    if (!ok_ || count > bytes_.size() - position_) {
      Fail();
      return {};
    }
    const std::string_view taken = bytes_.substr(position_, static_cast<size_t>(count));
    position_ += taken.size();
    return taken;
  }

  void SeekTo(uint64_t position) {
    if (position > bytes_.size()) {
      Fail();
      return;
    }
    position_ = static_cast<size_t>(position);
  }

  std::string_view rest() const { return ok_ ? bytes_.substr(position_) : std::string_view(); }
  uint64_t position() const { return position_; }
  bool ok() const { return ok_; }
  bool AtEnd() const { return ok_ && position_ == bytes_.size(); }

 private:
  // Ten groups of seven bits are enough for 64; a few more may be padding.
  static constexpr unsigned kLebBitsMax = 16 * 7;

  uint64_t Fail() {
    ok_ = false;
    return 0;
  }

  std::string_view bytes_;
  size_t position_ = 0;
  bool ok_ = true;
};

}  // namespace flarestack::elf
