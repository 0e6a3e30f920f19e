// SPDX-License-Identifier: Apache-2.0
//
// Encodes numbers for our on-disk formats and decodes them. The reader never reads past the end:
// after bad bytes it returns zeros, and the caller checks `ok()` once at the end.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace flarestack::base {

inline void AppendVarint(uint64_t value, std::string* out) {
  while (value >= 0x80) {
    out->push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out->push_back(static_cast<char>(value));
}

// Maps small magnitudes to small numbers: 0, -1, 1, -2, 2 ...
inline uint64_t ZigZag(int64_t value) {
  return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
}
inline int64_t UnZigZag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}
inline void AppendSigned(int64_t value, std::string* out) { AppendVarint(ZigZag(value), out); }

// The difference of two unsigned numbers, for AppendSigned; AddDifference reverses it.
inline int64_t Difference(uint64_t a, uint64_t b) { return static_cast<int64_t>(a - b); }
inline uint64_t AddDifference(uint64_t b, int64_t difference) {
  return b + static_cast<uint64_t>(difference);
}

// Big endian, so that keys sort in numeric order.
template <typename T>
void AppendBigEndian(T value, std::string* out) {
  for (int shift = static_cast<int>(sizeof(T)) * 8 - 8; shift >= 0; shift -= 8)
    out->push_back(static_cast<char>(value >> shift));
}

inline void AppendBytes(std::string_view bytes, std::string* out) {
  AppendVarint(bytes.size(), out);
  out->append(bytes);
}

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  uint64_t Varint() {
    // Fast path: most numbers have one or two bytes.
    if (end_ - at_ >= 2) [[likely]] {
      const auto first = static_cast<uint8_t>(at_[0]);
      const auto second = static_cast<uint8_t>(at_[1]);
      if (first < 0x80) {
        ++at_;
        return first;
      }
      if (second < 0x80) {
        at_ += 2;
        return (first & 0x7fu) | uint64_t{second} << 7;
      }
    }
    uint64_t value = 0;
    const char* at = at_;
    for (int shift = 0; shift < 64 && at != end_; shift += 7) {
      const auto byte = static_cast<uint8_t>(*at++);
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) {
        at_ = at;
        return value;
      }
    }
    return Fail();
  }

  int64_t Signed() { return UnZigZag(Varint()); }

  // Fails if the value does not fit into 32 bits.
  uint32_t Varint32() {
    const uint64_t value = Varint();
    return value <= UINT32_MAX ? static_cast<uint32_t>(value) : static_cast<uint32_t>(Fail());
  }

  // Reads the number of elements that follow, each at least one byte long. Fails if it exceeds the
  // bytes left, before the caller allocates room for the elements.
  size_t Count() {
    const uint64_t count = Varint();
    return count <= left() ? static_cast<size_t>(count) : static_cast<size_t>(Fail());
  }

  template <typename T>
  T BigEndian() {
    T value = 0;
    for (const char byte : Take(sizeof(T)))
      value = static_cast<T>(value << 8 | static_cast<uint8_t>(byte));
    return value;
  }

  std::string_view Bytes() { return Take(Varint()); }

  std::string_view Take(uint64_t count) {
    if (count > left()) {
      Fail();
      return {};
    }
    const std::string_view bytes(at_, static_cast<size_t>(count));
    at_ += count;
    return bytes;
  }

  std::string_view rest() const { return {at_, left()}; }
  bool ok() const { return ok_; }
  bool AtEnd() const { return ok_ && at_ == end_; }

 private:
  size_t left() const { return static_cast<size_t>(end_ - at_); }

  uint64_t Fail() {
    ok_ = false;
    at_ = end_;
    return 0;
  }

  const char* at_;
  const char* end_;
  bool ok_ = true;
};

}  // namespace flarestack::base
