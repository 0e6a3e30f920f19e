// SPDX-License-Identifier: Apache-2.0
//
// Writes a protobuf message from its end to its start. When the length of a nested message is
// needed, the message is already written, so no size is computed in advance and nothing is moved:
// half the work of the usual two passes.
//
//   ReverseWriter out(estimate_bytes);
//   for (child from last to first) {
//     ReverseCursor to = out.Reserve(kChildBytesMax);
//     const size_t end = to.size();
//     to.Varint(2, child.b);          // fields from last to first
//     to.Varint(1, child.a);
//     to.CloseMessage(1, end);
//     out.Commit(to);
//   }
//   Use(out.view());
//
// A cursor checks nothing: it may write only the reserved bytes. It is a value on the stack on
// purpose. Characters may alias anything, so a position inside the writer would be stored and
// loaded again around each byte.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "codec/wire/reader.h"

namespace flarestack::codec::wire {

// The maximum size of a field: a tag below field 16 with a number, or with the length of bytes.
inline constexpr size_t kNumberFieldBytesMax = 11;
inline constexpr size_t kIndexFieldBytesMax = 6;
inline constexpr size_t kLengthFieldBytesMax = 11;
inline constexpr size_t kVarintBytesMax = 10;
inline constexpr size_t kIndexBytesMax = 5;

class ReverseCursor {
 public:
  // The number of bytes written after this position.
  size_t size() const { return static_cast<size_t>(end_ - next_); }

  void Varint(uint32_t field, uint64_t value) {
    RawVarint(value);
    RawTag(field, kVarint);
  }
  void VarintUnlessZero(uint32_t field, uint64_t value) {
    if (value != 0) {
      Varint(field, value);
    }
  }
  void Fixed64(uint32_t field, uint64_t value) {
    RawBytes({reinterpret_cast<const char*>(&value), sizeof(value)});
    RawTag(field, kFixed64);
  }
  void Fixed32(uint32_t field, uint32_t value) {
    RawBytes({reinterpret_cast<const char*>(&value), sizeof(value)});
    RawTag(field, kFixed32);
  }
  void Bytes(uint32_t field, std::string_view bytes) {
    RawBytes(bytes);
    RawVarint(bytes.size());
    RawTag(field, kBytes);
  }
  void BytesUnlessEmpty(uint32_t field, std::string_view bytes) {
    if (!bytes.empty()) {
      Bytes(field, bytes);
    }
  }

  // `end` is size() before the message's last field was written.
  void CloseMessage(uint32_t field, size_t end) {
    RawVarint(size() - end);
    RawTag(field, kBytes);
  }

  // Writes a packed list; writes nothing for an empty one.
  template <typename T, typename ToNumber>
  void Packed(uint32_t field, std::span<const T> items, ToNumber to_number) {
    if (items.empty()) {
      return;
    }
    const size_t end = size();
    for (size_t i = items.size(); i-- > 0;) {
      RawVarint(to_number(items[i]));
    }
    CloseMessage(field, end);
  }
  void PackedFixed64(uint32_t field, std::span<const uint64_t> items) {
    if (items.empty()) {
      return;
    }
    RawBytes({reinterpret_cast<const char*>(items.data()), items.size_bytes()});
    RawVarint(items.size_bytes());
    RawTag(field, kBytes);
  }

 private:
  friend class ReverseWriter;
  ReverseCursor(char* next, char* end) : next_(next), end_(end) {}

  void RawVarint(uint64_t value) {
    if (value < 0x80) [[likely]] {
      *--next_ = static_cast<char>(value);
      return;
    }
    if (value < 0x4000) {
      next_ -= 2;
      next_[0] = static_cast<char>(value | 0x80);
      next_[1] = static_cast<char>(value >> 7);
      return;
    }
    next_ -= (static_cast<unsigned>(std::bit_width(value)) + 6) / 7;  // seven bits per byte
    char* to = next_;
    for (; value >= 0x80; value >>= 7) {
      *to++ = static_cast<char>(value | 0x80);
    }
    *to = static_cast<char>(value);
  }
  void RawTag(uint32_t field, WireType type) { RawVarint(Tag(field, type)); }
  void RawBytes(std::string_view bytes) {
    next_ -= bytes.size();
    if (!bytes.empty()) {
      std::memcpy(next_, bytes.data(), bytes.size());
    }
  }

  char* next_;
  char* end_;
};

class ReverseWriter {
 public:
  // The memory is not touched before it is written, so a generous estimate costs nothing.
  explicit ReverseWriter(size_t estimate_bytes) { Allocate(estimate_bytes + kSlackBytes); }

  size_t size() const { return static_cast<size_t>(end_ - next_); }
  std::string_view view() const { return {next_, size()}; }

  // Discards the output but keeps the memory for the next message.
  void Clear() { next_ = end_; }

  // Reserves space for this many more bytes, from the current position.
  ReverseCursor Reserve(size_t bytes) {
    if (static_cast<size_t>(next_ - buffer_.get()) < bytes) [[unlikely]] {
      Grow(bytes);
    }
    return {next_, end_};
  }
  void Commit(const ReverseCursor& cursor) { next_ = cursor.next_; }

  // Single fields, for rarely written data.
  void VarintUnlessZero(uint32_t field, uint64_t value) {
    ReverseCursor to = Reserve(kNumberFieldBytesMax);
    to.VarintUnlessZero(field, value);
    Commit(to);
  }
  void Varint(uint32_t field, uint64_t value) {
    ReverseCursor to = Reserve(kNumberFieldBytesMax);
    to.Varint(field, value);
    Commit(to);
  }
  // An open enumeration or an int32, which protobuf writes as an int64: a negative value has ten
  // bytes.
  template <typename T>
  void EnumUnlessZero(uint32_t field, T value) {
    VarintUnlessZero(field, static_cast<uint64_t>(int64_t{static_cast<int32_t>(value)}));
  }
  void Sint32UnlessZero(uint32_t field, int32_t value) {
    VarintUnlessZero(field, static_cast<uint32_t>(value) << 1 ^ static_cast<uint32_t>(value >> 31));
  }
  void Double(uint32_t field, double value) { Fixed64(field, std::bit_cast<uint64_t>(value)); }
  void DoubleUnlessZero(uint32_t field, double value) {
    Fixed64UnlessZero(field, std::bit_cast<uint64_t>(value));  // negative zero is not the default
  }
  void Fixed64(uint32_t field, uint64_t value) {
    ReverseCursor to = Reserve(kNumberFieldBytesMax);
    to.Fixed64(field, value);
    Commit(to);
  }
  void Fixed64UnlessZero(uint32_t field, uint64_t value) {
    if (value != 0) {
      Fixed64(field, value);
    }
  }
  void Fixed32UnlessZero(uint32_t field, uint32_t value) {
    if (value != 0) {
      ReverseCursor to = Reserve(kNumberFieldBytesMax);
      to.Fixed32(field, value);
      Commit(to);
    }
  }
  // A packed list of 8-byte numbers: fixed64 or double.
  template <typename T>
  void PackedFixed64(uint32_t field, std::span<const T> items) {
    static_assert(sizeof(T) == sizeof(uint64_t));
    BytesUnlessEmpty(field, {reinterpret_cast<const char*>(items.data()), items.size_bytes()});
  }
  void Bytes(uint32_t field, std::string_view bytes) {
    ReverseCursor to = Reserve(kLengthFieldBytesMax + bytes.size());
    to.Bytes(field, bytes);
    Commit(to);
  }
  void BytesUnlessEmpty(uint32_t field, std::string_view bytes) {
    if (!bytes.empty()) {
      Bytes(field, bytes);
    }
  }
  void CloseMessage(uint32_t field, size_t end) {
    ReverseCursor to = Reserve(kLengthFieldBytesMax);
    to.CloseMessage(field, end);
    Commit(to);
  }
  template <typename T, typename ToNumber>
  void Packed(uint32_t field, std::span<const T> items, ToNumber to_number) {
    ReverseCursor to = Reserve(kLengthFieldBytesMax + items.size() * kVarintBytesMax);
    to.Packed(field, items, to_number);
    Commit(to);
  }

 private:
  static constexpr size_t kSlackBytes = 64;

  void Allocate(size_t capacity) {
    buffer_ = std::make_unique_for_overwrite<char[]>(capacity);
    end_ = buffer_.get() + capacity;
    next_ = end_;
  }

  void Grow(size_t bytes_needed) {
    const std::unique_ptr<char[]> old = std::move(buffer_);
    const char* const old_next = next_;
    const size_t used = size();
    Allocate((used + bytes_needed) * 2);
    next_ = end_ - used;
    std::memcpy(next_, old_next, used);
  }

  std::unique_ptr<char[]> buffer_;
  char* end_ = nullptr;
  char* next_ = nullptr;
};

}  // namespace flarestack::codec::wire
