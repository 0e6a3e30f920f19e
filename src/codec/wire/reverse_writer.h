// SPDX-License-Identifier: Apache-2.0
//
// Writes a protobuf message from its end to its start. When the length of a nested message is due,
// the message is already there, so no size has to be computed first and nothing is moved: half the
// work of the usual two passes.
//
//   ReverseWriter out(estimate);
//   for (child from last to first) {
//     const size_t end = out.size();
//     out.Varint(2, child.b);          // fields from last to first
//     out.Varint(1, child.a);
//     out.CloseMessage(1, end);
//   }
//   Use(out.view());
//
// Singular fields with their default value are the caller's to leave out (VarintUnlessZero,
// BytesUnlessEmpty).
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include "codec/wire/reader.h"

namespace flarestack::codec::wire {

class ReverseWriter {
 public:
  // The memory is not touched before it is written, so a generous estimate costs nothing.
  explicit ReverseWriter(size_t estimate_bytes)
      : buffer_(std::make_unique_for_overwrite<char[]>(estimate_bytes + kSlackBytes)),
        end_(buffer_.get() + estimate_bytes + kSlackBytes),
        next_(end_) {}

  size_t size() const { return static_cast<size_t>(end_ - next_); }
  std::string_view view() const { return {next_, size()}; }

  void Varint(uint32_t field, uint64_t value) {
    RawVarint(value);
    RawTag(field, kVarint);
  }
  void VarintUnlessZero(uint32_t field, uint64_t value) {
    if (value != 0)
      Varint(field, value);
  }
  void Fixed64(uint32_t field, uint64_t value) {
    RawFixed64(value);
    RawTag(field, kFixed64);
  }
  void Bytes(uint32_t field, std::string_view bytes) {
    RawBytes(bytes);
    RawVarint(bytes.size());
    RawTag(field, kBytes);
  }
  void BytesUnlessEmpty(uint32_t field, std::string_view bytes) {
    if (!bytes.empty())
      Bytes(field, bytes);
  }

  // `end` is size() from before the message's last field was written.
  void CloseMessage(uint32_t field, size_t end) {
    RawVarint(size() - end);
    RawTag(field, kBytes);
  }

  // A packed list; nothing is written for an empty one.
  template <typename T, typename ToNumber>
  void Packed(uint32_t field, std::span<const T> items, ToNumber to_number) {
    if (items.empty())
      return;
    const size_t end = size();
    for (size_t i = items.size(); i-- > 0;)
      RawVarint(to_number(items[i]));
    CloseMessage(field, end);
  }
  void PackedFixed64(uint32_t field, std::span<const uint64_t> items) {
    if (items.empty())
      return;
    RawBytes({reinterpret_cast<const char*>(items.data()), items.size_bytes()});
    RawVarint(items.size_bytes());
    RawTag(field, kBytes);
  }

 private:
  static constexpr size_t kSlackBytes = 64;
  static constexpr size_t kVarintBytesMax = 10;

  void RawVarint(uint64_t value) {
    if (static_cast<size_t>(next_ - buffer_.get()) < kVarintBytesMax) [[unlikely]] {
      Grow(kVarintBytesMax);
    }
    if (value < 0x80) [[likely]] {
      *--next_ = static_cast<char>(value);
      return;
    }
    char bytes[kVarintBytesMax];
    size_t count = 0;
    for (; value >= 0x80; value >>= 7)
      bytes[count++] = static_cast<char>(value | 0x80);
    bytes[count++] = static_cast<char>(value);
    next_ -= count;
    std::memcpy(next_, bytes, count);
  }
  void RawTag(uint32_t field, WireType type) { RawVarint(Tag(field, type)); }
  void RawFixed64(uint64_t value) {
    RawBytes({reinterpret_cast<const char*>(&value), sizeof(value)});
  }
  void RawBytes(std::string_view bytes) {
    if (static_cast<size_t>(next_ - buffer_.get()) < bytes.size()) [[unlikely]] {
      Grow(bytes.size());
    }
    next_ -= bytes.size();
    if (!bytes.empty())
      std::memcpy(next_, bytes.data(), bytes.size());
  }

  void Grow(size_t bytes_needed) {
    const size_t used = size();
    const size_t capacity = (used + bytes_needed) * 2;
    auto larger = std::make_unique_for_overwrite<char[]>(capacity);
    std::memcpy(larger.get() + capacity - used, next_, used);
    buffer_ = std::move(larger);
    end_ = buffer_.get() + capacity;
    next_ = end_ - used;
  }

  std::unique_ptr<char[]> buffer_;
  char* end_;
  char* next_;
};

}  // namespace flarestack::codec::wire
