// SPDX-License-Identifier: Apache-2.0
//
// The two templates that both halves of ProtobufDecoder use.
#pragma once

#include <type_traits>

#include "codec/otlp/protobuf_decoder.h"

namespace flarestack::codec::otlp {

// False once a limit is met; decoding then runs on without storing, and the whole message is
// refused at its end.
template <typename T>
bool ProtobufDecoder::HasRoom(const std::vector<T>& table, uint32_t max, const char* what) {
  if (table.size() < max) [[likely]] {
    return true;
  }
  if (limit_met_ == nullptr)
    limit_met_ = what;
  return false;
}

// One element takes at least one byte, so room for as many elements as there are bytes is room
// enough. The bytes are given instead of the reader, which would have to leave its registers.
template <typename T, typename Pool>
void ProtobufDecoder::AppendPacked(std::string_view bytes, Pool* pool) {
  const auto to_element = [](uint64_t number) {
    if constexpr (std::is_same_v<T, int64_t>) {
      return static_cast<int64_t>(number);
    } else {
      return T{static_cast<uint32_t>(number)};
    }
  };
  wire::Reader packed(bytes, &fault_);
  if (bytes.size() <= 2) {  // the usual list has one or two elements
    while (!packed.rest().empty()) {
      pool->push_back(to_element(packed.Varint()));
    }
    return;
  }
  const size_t before = pool->size();
  pool->resize(before + bytes.size());
  T* next = pool->data() + before;
  while (!packed.rest().empty()) {
    *next++ = to_element(packed.Varint());
  }
  pool->resize(static_cast<size_t>(next - pool->data()));
}

}  // namespace flarestack::codec::otlp
