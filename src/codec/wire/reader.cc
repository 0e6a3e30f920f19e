// SPDX-License-Identifier: Apache-2.0
#include "codec/wire/reader.h"

#include <bit>
#include <protozero/exception.hpp>
#include <protozero/varint.hpp>

namespace flarestack::codec::wire {

static_assert(std::endian::native == std::endian::little);

void Reader::Fail(const char* reason) {
  fault_->Set(reason, next_);
  next_ = end_;
  failed_ = true;
}

uint64_t Reader::LongVarint() {
  try {
    return protozero::decode_varint(&next_, end_);
  } catch (const protozero::end_of_buffer_exception&) {
    Fail("number is cut short");
  } catch (const protozero::exception&) {
    Fail("number of more than 10 bytes");
  }
  return 0;
}

void Reader::Skip() {
  switch (type()) {
    case kVarint:
      Varint();
      return;
    case kFixed64:
      Fixed64();
      return;
    case kBytes:
      Bytes();
      return;
    case kFixed32:
      Fixed32();
      return;
  }
  Fail("unknown wire type");
}

}  // namespace flarestack::codec::wire
