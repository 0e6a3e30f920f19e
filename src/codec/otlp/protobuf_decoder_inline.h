// SPDX-License-Identifier: Apache-2.0
//
// The two templates that both halves of ProtobufDecoder use.
#pragma once

#include "codec/wire/packed.h"

#include "codec/otlp/protobuf_decoder.h"

namespace flarestack::codec::otlp {

// False once a limit is met; decoding then runs on without storing, and the whole message is
// refused at its end.
template <typename T>
bool ProtobufDecoder::HasRoom(const std::vector<T>& table, uint32_t max, const char* what) {
  if (fits_every_limit_ || table.size() < max) [[likely]] {
    return true;
  }
  if (limit_met_ == nullptr)
    limit_met_ = what;
  return false;
}

template <typename T, typename Pool>
void ProtobufDecoder::AppendPacked(std::string_view packed, Pool* pool) {
  if (packed.size() == 1 && static_cast<uint8_t>(packed[0]) < 0x80) {  // the usual attribute list
    pool->push_back(T{static_cast<uint8_t>(packed[0])});
    return;
  }
  wire::AppendPacked(packed, pool, &fault_);
}

}  // namespace flarestack::codec::otlp
