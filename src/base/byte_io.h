// SPDX-License-Identifier: Apache-2.0
//
// Numbers to and from bytes, for the formats we keep on disk. Reading never passes the end: a
// reader that met bad bytes answers zeros from then on, and `ok()` is asked once at the end.
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

// Small magnitudes, small bytes: 0, -1, 1, -2, 2 ...
inline uint64_t ZigZag(int64_t value) {
  return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
}
inline int64_t UnZigZag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}
inline void AppendSigned(int64_t value, std::string* out) { AppendVarint(ZigZag(value), out); }

// The difference of two unsigned numbers as AppendSigned takes it; AddDifference undoes it.
inline int64_t Difference(uint64_t a, uint64_t b) { return static_cast<int64_t>(a - b); }
inline uint64_t AddDifference(uint64_t b, int64_t difference) {
  return b + static_cast<uint64_t>(difference);
}

// Big endian, so that the order of keys is the order of numbers.
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
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (rest_.empty())
        return Fail();
      const auto byte = static_cast<uint8_t>(rest_[0]);
      rest_.remove_prefix(1);
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80)
        return value;
    }
    return Fail();
  }

  int64_t Signed() { return UnZigZag(Varint()); }

  // A varint that must fit.
  uint32_t Varint32() {
    const uint64_t value = Varint();
    return value <= UINT32_MAX ? static_cast<uint32_t>(value) : static_cast<uint32_t>(Fail());
  }

  // How many things follow that take at least one byte each; more than there are bytes is a fault,
  // found before room is made for them.
  size_t Count() {
    const uint64_t count = Varint();
    return count <= rest_.size() ? static_cast<size_t>(count) : static_cast<size_t>(Fail());
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
    if (count > rest_.size()) {
      Fail();
      return {};
    }
    const std::string_view bytes = rest_.substr(0, static_cast<size_t>(count));
    rest_.remove_prefix(bytes.size());
    return bytes;
  }

  std::string_view rest() const { return rest_; }
  bool ok() const { return ok_; }
  bool AtEnd() const { return ok_ && rest_.empty(); }

 private:
  uint64_t Fail() {
    ok_ = false;
    rest_ = {};
    return 0;
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace flarestack::base
