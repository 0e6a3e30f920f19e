// SPDX-License-Identifier: Apache-2.0
//
// Reads the encodings of .eh_frame from memory, within bounds. A read out of bounds returns 0 and
// sets failed().
#pragma once

#include <cstdint>
#include <cstring>

#include "sdk/memory_at.h"

namespace flarestack::sdk {

class CfiReader {
 public:
  CfiReader(uintptr_t begin, uintptr_t end) : at_(begin), end_(end < begin ? begin : end) {}

  uintptr_t at() const { return at_; }
  bool failed() const { return failed_; }
  bool is_at_end() const { return failed_ || at_ >= end_; }

  template <typename T>
  T Fixed() {
    T value = {};
    if (!Has(sizeof(T)))
      return value;
    std::memcpy(&value, MemoryAt<char>(at_), sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  uint64_t Unsigned() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = Fixed<uint8_t>();
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0)
        return value;
    }
    failed_ = true;
    return 0;
  }

  int64_t Signed() {
    uint64_t value = 0;
    unsigned shift = 0;
    while (shift < 64) {
      const auto byte = Fixed<uint8_t>();
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      shift += 7;
      if ((byte & 0x80) == 0) {
        if ((byte & 0x40) != 0 && shift < 64)
          value |= ~uint64_t{0} << shift;
        return static_cast<int64_t>(value);
      }
    }
    failed_ = true;
    return 0;
  }

  // A pointer encoded with DW_EH_PE_*. `data_base` is the address of .eh_frame_hdr. Indirect
  // pointers are not followed.
  uintptr_t Pointer(uint8_t encoding, uintptr_t data_base) {
    if (encoding == 0xff)  // omitted
      return 0;
    const uintptr_t place = at_;
    uint64_t value = 0;
    switch (encoding & 0x0f) {
      case 0x00:
      case 0x04:
      case 0x0c:
        value = Fixed<uint64_t>();
        break;
      case 0x01:
        value = Unsigned();
        break;
      case 0x02:
        value = Fixed<uint16_t>();
        break;
      case 0x03:
        value = Fixed<uint32_t>();
        break;
      case 0x09:
        value = static_cast<uint64_t>(Signed());
        break;
      case 0x0a:
        value = static_cast<uint64_t>(int64_t{Fixed<int16_t>()});
        break;
      case 0x0b:
        value = static_cast<uint64_t>(int64_t{Fixed<int32_t>()});
        break;
      default:
        failed_ = true;
        return 0;
    }
    switch (encoding & 0x70) {
      case 0x00:
        return value;
      case 0x10:
        return place + value;
      case 0x30:
        return data_base + value;
      default:
        failed_ = true;
        return 0;
    }
  }

  void Skip(uint64_t bytes) {
    if (Has(bytes))
      at_ += bytes;
  }

  // The rest of this reader up to `bytes` from here; fails if there are fewer.
  CfiReader Part(uint64_t bytes) {
    const uintptr_t begin = at_;
    Skip(bytes);
    return failed_ ? CfiReader(0, 0) : CfiReader(begin, at_);
  }

 private:
  bool Has(uint64_t bytes) {
    if (failed_ || bytes > end_ - at_) {
      failed_ = true;
      return false;
    }
    return true;
  }

  uintptr_t at_;
  uintptr_t end_;
  bool failed_ = false;
};

}  // namespace flarestack::sdk
