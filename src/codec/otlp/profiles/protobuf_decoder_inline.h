// SPDX-License-Identifier: Apache-2.0
//
// The template shared by both parts of ProtobufDecoder.
#pragma once

#include "codec/wire/packed.h"

#include "codec/otlp/profiles/protobuf_decoder.h"

namespace flarestack::codec::otlp {

template <typename T, typename Pool>
void ProtobufDecoder::AppendPacked(std::string_view packed, Pool* pool) {
  if (packed.size() == 1 && static_cast<uint8_t>(packed[0]) < 0x80) {  // the usual attribute list
    pool->push_back(T{static_cast<uint8_t>(packed[0])});
    return;
  }
  constexpr uint64_t kCost = sizeof(T) == sizeof(uint64_t) ? kNumberBytes : MemoryOfEntry<T>();
  if (state_.TakeMemory(wire::CountPacked(packed) * kCost))
    wire::AppendPacked(packed, pool, &state_.fault);
}

}  // namespace flarestack::codec::otlp
