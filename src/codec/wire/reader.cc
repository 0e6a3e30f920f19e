// SPDX-License-Identifier: Apache-2.0
#include "codec/wire/reader.h"

#include <bit>
#include <protozero/exception.hpp>
#include <protozero/varint.hpp>
#include <vector>

#include "codec/wire/varint_word.h"

namespace flarestack::codec::wire {

constexpr ptrdiff_t kLongestVarintBytes = 10;

static_assert(std::endian::native == std::endian::little);

namespace {

// Loads the last bytes of a message, at most seven, with zeros above: two overlapping loads.
uint64_t LoadTail(const char* at, size_t size) {
  const auto byte = [at](size_t i) { return uint64_t{static_cast<uint8_t>(at[i])} << (8 * i); };
  if (size >= sizeof(uint32_t)) [[likely]] {
    uint32_t low;
    uint32_t high;
    const size_t high_begin = size - sizeof(high);
    std::memcpy(&low, at, sizeof(low));
    std::memcpy(&high, at + high_begin, sizeof(high));
    return low | uint64_t{high} << (8 * high_begin);
  }
  return size == 0 ? 0 : byte(0) | byte(size / 2) | byte(size - 1);
}

}  // namespace

// Addresses and times often end their message, so a number there is also read as one word, not byte
// by byte.
Reader::Number Reader::LongVarint(const char* next, const char* end, Fault* fault) {
  const auto size = static_cast<size_t>(end - next);
  const uint64_t word = size >= kWordBytes ? LoadWord(next) : LoadTail(next, size);
  const uint64_t ends = Ends(word);
  if (ends != 0) [[likely]] {
    const auto bytes = static_cast<size_t>(FirstNumberBits(ends)) / 8;
    if (bytes <= size) [[likely]]  // else the end is one of the zeros above
      return {.value = JoinSevens(FirstNumberBytes(word, ends)), .next = next + bytes};
  }
  return LongestVarint(next, end, fault);
}

// Nine or ten bytes, or a fault.
Reader::Number Reader::LongestVarint(const char* next, const char* end, Fault* fault) {
  if (end - next >= kLongestVarintBytes) {
    const uint64_t ninth = static_cast<uint8_t>(next[8]);
    const uint64_t tenth = static_cast<uint8_t>(next[9]);
    const uint64_t low = JoinSevens(LoadWord(next)) | (ninth & 0x7f) << 56;
    if (ninth < 0x80)
      return {.value = low, .next = next + 9};
    if (tenth < 0x80)
      return {.value = low | tenth << 63, .next = next + 10};
    fault->Set("number of more than 10 bytes", next);
    return {.value = 0, .next = end};
  }
  const char* position = next;
  try {
    const uint64_t value = protozero::decode_varint(&position, end);
    return {.value = value, .next = position};
  } catch (const protozero::end_of_buffer_exception&) {
    fault->Set("number is truncated", next);
  } catch (const protozero::exception&) {
    fault->Set("number of more than 10 bytes", next);
  }
  return {.value = 0, .next = end};
}

// Groups are an old form of nested messages; OTLP has none, but a future field may be one.
const char* Reader::SkipGroup(uint32_t field, const char* next, const char* end, Fault* fault) {
  constexpr size_t kNestingMax = 100;
  std::vector<uint32_t> open = {field};
  Reader in({next, static_cast<size_t>(end - next)}, fault);
  while (!open.empty() && in.Next()) {
    if (in.type() == kGroupBegin) {
      open.push_back(in.field());
      if (open.size() > kNestingMax)
        in.Fail("groups are nested too deeply");
    } else if (in.type() == kGroupEnd) {
      if (in.field() != open.back())
        in.Fail("group that ends with another field number");
      else
        open.pop_back();
    } else {
      in.Skip();
    }
  }
  if (!open.empty() && !fault->is_set())
    fault->Set("unterminated group", next);
  return open.empty() ? in.next_ : end;
}

const char* Reader::SkipField(uint32_t tag, const char* next, const char* end, Fault* fault) {
  Reader in({next, static_cast<size_t>(end - next)}, fault);
  const auto type = static_cast<WireType>(tag & 7);
  switch (type) {
    case kVarint:
      in.Varint();
      return in.next_;
    case kFixed64:
      in.Fixed64();
      return in.next_;
    case kBytes:
      in.Bytes();
      return in.next_;
    case kFixed32:
      in.Fixed32();
      return in.next_;
    case kGroupBegin:
      return SkipGroup(tag >> 3, next, end, fault);
    case kGroupEnd:
      fault->Set("end of a group that was not opened", next);
      return end;
  }
  fault->Set("unknown wire type", next);
  return end;
}

}  // namespace flarestack::codec::wire
