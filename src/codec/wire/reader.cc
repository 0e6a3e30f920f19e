// SPDX-License-Identifier: Apache-2.0
#include "codec/wire/reader.h"

#include <bit>
#include <protozero/exception.hpp>
#include <protozero/varint.hpp>

#include "codec/wire/varint_word.h"

namespace flarestack::codec::wire {

constexpr ptrdiff_t kVarintBytesMax = 10;

static_assert(std::endian::native == std::endian::little);

Reader::Number Reader::LongVarint(const char* next, const char* end, Fault* fault) {
  const char* position = next;
  if (end - next >= kVarintBytesMax) [[likely]] {
    const uint64_t word = LoadWord(next);
    const uint64_t ends = Ends(word);
    if (ends != 0) [[likely]] {
      return {.value = JoinSevens(FirstNumberBytes(word, ends)),
              .next = next + FirstNumberBits(ends) / 8};
    }
    const uint64_t ninth = static_cast<uint8_t>(next[8]);
    const uint64_t tenth = static_cast<uint8_t>(next[9]);
    const uint64_t low = JoinSevens(word) | (ninth & 0x7f) << 56;
    if (ninth < 0x80)
      return {.value = low, .next = next + 9};
    if (tenth < 0x80)
      return {.value = low | tenth << 63, .next = next + 10};
    fault->Set("number of more than 10 bytes", next);
    return {.value = 0, .next = end};
  }
  try {
    const uint64_t value = protozero::decode_varint(&position, end);
    return {.value = value, .next = position};
  } catch (const protozero::end_of_buffer_exception&) {
    fault->Set("number is cut short", next);
  } catch (const protozero::exception&) {
    fault->Set("number of more than 10 bytes", next);
  }
  return {.value = 0, .next = end};
}

const char* Reader::SkipField(WireType type, const char* next, const char* end, Fault* fault) {
  Reader in({next, static_cast<size_t>(end - next)}, fault);
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
  }
  fault->Set("unknown wire type", next);
  return end;
}

}  // namespace flarestack::codec::wire
