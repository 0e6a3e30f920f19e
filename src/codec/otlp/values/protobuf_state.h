// SPDX-License-Identifier: Apache-2.0
//
// The state that the decoders of one protobuf message share: its limits, the first fault in its
// bytes and the first limit reached. After either, decoding continues without storing and the whole
// message is rejected at its end, so that the hot paths need no branches for it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "codec/otlp/values/limits.h"
#include "codec/otlp/values/memory_cost.h"
#include "codec/wire/reader.h"
#include "model/index.h"

namespace flarestack::codec::otlp {

struct ProtobufState {
  static constexpr char kMemory[] = "memory";

  explicit ProtobufState(const Limits& message_limits)
      : limits(message_limits), memory_left(message_limits.memory_bytes_max) {}
  ~ProtobufState() {
    if (limits.memory_bytes != nullptr)
      *limits.memory_bytes = limits.memory_bytes_max - memory_left;
  }
  ProtobufState(const ProtobufState&) = delete;
  ProtobufState& operator=(const ProtobufState&) = delete;

  const Limits& limits;
  bool fits_every_limit = false;  // the message is too short to reach any limit
  wire::Fault fault;
  const char* limit_reached = nullptr;
  uint32_t rejoined_count = 0;
  uint64_t memory_left;

  // Returns false once the message exceeds its memory limit.
  bool TakeMemory(uint64_t bytes) {
    if (bytes <= memory_left) [[likely]] {
      memory_left -= bytes;
      return true;
    }
    memory_left = 0;
    MeetLimit(kMemory);
    return false;
  }

  void MeetLimit(const char* what) {
    if (limit_reached == nullptr)
      limit_reached = what;
  }

  // Returns false once a limit is reached.
  template <typename T>
  bool HasRoom(const std::vector<T>& table, uint32_t max, const char* what) {
    if (!fits_every_limit && table.size() >= max) [[unlikely]] {
      MeetLimit(what);
      return false;
    }
    return TakeMemory(MemoryOfEntry<T>());
  }

  // A singular message that arrives twice is merged, and its lists are continued. Other lists may
  // have grown the pool in between, so both parts are copied to its end. Real writers never do
  // this, and a message of many such parts would grow with the square of their number, so this has
  // a separate limit.
  template <typename T>
  model::Slice Rejoin(model::Slice first, model::Slice second, std::vector<T>* pool) {
    if (first.empty())
      return second;
    if (second.empty())
      return first;
    if (first.end() == second.begin)
      return {.begin = first.begin, .count = first.count + second.count};
    const model::Slice joined = {.begin = static_cast<uint32_t>(pool->size()),
                                 .count = first.count + second.count};
    if (joined.count > kRejoinedMax - rejoined_count) {
      MeetLimit("parts of one message in pieces");
      return first;
    }
    rejoined_count += joined.count;
    pool->reserve(pool->size() + joined.count);
    for (const model::Slice part : {first, second}) {
      for (uint32_t i = part.begin; i < part.end(); ++i) {
        pool->push_back((*pool)[i]);
      }
    }
    return joined;
  }

  // `what` is the kind of message: "not an OTLP traces message: number is truncated at byte 7".
  absl::Status ToStatus(std::string_view bytes, std::string_view what) const;

 private:
  static constexpr uint32_t kRejoinedMax = 1 << 20;
};

// The part of a pool from `begin` to its current end.
template <typename T>
model::Slice SliceFrom(uint32_t begin, const std::vector<T>& pool) {
  return {.begin = begin, .count = static_cast<uint32_t>(pool.size()) - begin};
}
template <typename T>
uint32_t SizeOf(const std::vector<T>& pool) {
  return static_cast<uint32_t>(pool.size());
}

}  // namespace flarestack::codec::otlp
