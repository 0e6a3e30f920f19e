// SPDX-License-Identifier: Apache-2.0
//
// A run of adjacent dictionary entries. Entries are numbered in the order they are first seen, so
// the entries that one response needs are often adjacent. They are read and cached by the page,
// with the records stored back to back.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flarestack::store::rocks {

class RecordPage {
 public:
  static constexpr uint32_t kRecords = 32;

  // Maximum size of a page. Records that do not fit are not stored in it.
  static constexpr size_t kBytesMax = 32 << 10;

  static uint32_t NumberOf(uint32_t record) { return record / kRecords; }

  // The last page may still grow: an entry it lacks may have been added since it was read.
  void Add(uint32_t record, std::string_view bytes) {
    const uint32_t slot = record % kRecords;
    if (bytes_.size() + bytes.size() > kBytesMax) {
      long_ |= 1u << slot;
      return;
    }
    known_ |= 1u << slot;
    begins_[slot] = static_cast<uint32_t>(bytes_.size());
    lengths_[slot] = static_cast<uint32_t>(bytes.size());
    bytes_ += bytes;
  }

  // The view is valid as long as the page.
  std::optional<std::string_view> Find(uint32_t record) const {
    const uint32_t slot = record % kRecords;
    if ((known_ >> slot & 1) == 0)
      return std::nullopt;
    return std::string_view(bytes_).substr(begins_[slot], lengths_[slot]);
  }

  bool IsLong(uint32_t record) const { return (long_ >> record % kRecords & 1) != 0; }

  size_t Bytes() const { return sizeof(*this) + bytes_.capacity(); }

 private:
  uint32_t known_ = 0;  // one bit per slot
  uint32_t long_ = 0;
  std::array<uint32_t, kRecords> begins_ = {};
  std::array<uint32_t, kRecords> lengths_ = {};
  std::string bytes_;
};

}  // namespace flarestack::store::rocks
