// SPDX-License-Identifier: Apache-2.0
//
// Reads the fields of one protobuf message in place, with protozero's primitives.
//
//   Fault fault;
//   for (Reader in(bytes, &fault); in.Next();) {
//     switch (in.tag()) {
//       case Tag(1, kVarint): count = in.Varint(); break;
//       case Tag(2, kBytes): DecodeChild(in.Message()); break;
//       default: in.Skip();
//     }
//   }
//   if (fault.is_set()) ...
//
// A tag combines field number and wire type, so a field with an unexpected type is just another
// case. Nothing here throws or reads past the end: malformed bytes set the fault (the first one is
// kept) and end the loop. Exactly one of Varint, Fixed32, Fixed64, Bytes, Message, Skip (or a typed
// form of these) must follow each Next().
//
// The slow paths take and return positions instead of `this`, so that a reader on the stack stays
// in registers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace flarestack::codec::wire {

enum WireType : uint32_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kGroupBegin = 3,
  kGroupEnd = 4,
  kFixed32 = 5
};

constexpr uint32_t Tag(uint32_t field, WireType type) { return field << 3 | type; }

struct Fault {
  const char* what = nullptr;
  const char* at = nullptr;  // in the bytes being read
  bool is_set() const { return what != nullptr; }
  void Set(const char* reason, const char* position) {
    if (what == nullptr) {
      what = reason;
      at = position;
    }
  }
};

class Reader {
 public:
  Reader(std::string_view message, Fault* fault)
      : next_(message.data()), end_(message.data() + message.size()), fault_(fault) {}

  bool Next() {
    if (next_ == end_) {
      return false;
    }
    // Fields 1 to 15 have a one-byte tag: one comparison shows that the tag ends here and is not
    // field 0.
    const uint32_t first = static_cast<uint8_t>(*next_);
    if (first - kTagMin < kContinued - kTagMin) [[likely]] {
      tag_ = first;
      ++next_;
      return true;
    }
    const Number tag = LongVarint(next_, end_, fault_);
    next_ = tag.next;
    tag_ = static_cast<uint32_t>(tag.value);
    if (tag.value < kTagMin || tag.value > kTagMax) [[unlikely]] {
      Fail("field number out of range");
      return false;
    }
    return true;
  }

  uint32_t tag() const { return tag_; }
  uint32_t field() const { return tag_ >> 3; }
  WireType type() const { return static_cast<WireType>(tag_ & 7); }

  uint64_t Varint() {
    // One and two bytes cover nearly every index and length. A single byte is often the last of its
    // message, so check that first.
    if (next_ != end_) [[likely]] {
      const uint32_t first = static_cast<uint8_t>(next_[0]);
      if (first < kContinued) [[likely]] {
        ++next_;
        return first;
      }
      if (end_ - next_ >= 2) [[likely]] {
        const uint32_t second = static_cast<uint8_t>(next_[1]);
        if (second < kContinued) {
          next_ += 2;
          return (first & 0x7f) | second << 7;
        }
      }
    }
    const Number number = LongVarint(next_, end_, fault_);
    next_ = number.next;
    return number.value;
  }

  uint64_t Fixed64() { return Fixed<uint64_t>(); }
  double Double() { return std::bit_cast<double>(Fixed64()); }
  uint32_t Fixed32() { return Fixed<uint32_t>(); }

  std::string_view Bytes() {
    const uint64_t size = Varint();
    if (size > static_cast<uint64_t>(end_ - next_)) [[unlikely]] {
      Fail("length runs past the end of its message");
      return {};
    }
    const std::string_view bytes(next_, size);
    next_ += size;
    return bytes;
  }

  Reader Message() {
    const std::string_view bytes = Bytes();
    return {bytes, fault_};
  }

  void Skip() { next_ = SkipField(tag_, next_, end_, fault_); }

  // int64 and bool as protobuf reads them.
  int64_t Int64() { return static_cast<int64_t>(Varint()); }
  bool Bool() { return Varint() != 0; }
  int32_t Sint32() {
    const auto zigzag = static_cast<uint32_t>(Varint());
    return static_cast<int32_t>(zigzag >> 1 ^ (~(zigzag & 1) + 1));
  }

  // The unread bytes.
  std::string_view rest() const { return {next_, static_cast<size_t>(end_ - next_)}; }

  void Fail(const char* reason) {
    fault_->Set(reason, next_);
    next_ = end_;
  }

 private:
  static constexpr uint32_t kContinued = 0x80;  // set in every byte of a number except the last
  static constexpr uint32_t kTagMin = 8;        // field 1
  static constexpr uint64_t kTagMax = 0xffffffff;

  struct Number {
    uint64_t value;
    const char* next;
  };

  template <typename T>
  T Fixed() {
    if (static_cast<size_t>(end_ - next_) < sizeof(T)) [[unlikely]] {
      Fail("fixed-width field runs past the end of its message");
      return 0;
    }
    T value;
    std::memcpy(&value, next_, sizeof(T));  // both supported architectures are little endian
    next_ += sizeof(T);
    return value;
  }

  // All return the end of the message after a fault.
  static Number LongVarint(const char* next, const char* end, Fault* fault);
  static Number LongestVarint(const char* next, const char* end, Fault* fault);
  static const char* SkipField(uint32_t tag, const char* next, const char* end, Fault* fault);
  static const char* SkipGroup(uint32_t field, const char* next, const char* end, Fault* fault);

  const char* next_;
  const char* end_;
  Fault* fault_;
  uint32_t tag_ = 0;
};

}  // namespace flarestack::codec::wire
