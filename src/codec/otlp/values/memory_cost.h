// SPDX-License-Identifier: Apache-2.0
//
// Estimates the memory that one message needs until it is stored: its tables, which grow by
// doubling, and the data that the store derives from them. The estimate is conservative;
// bench/overload_bench.cc compares it with the actual memory of a server.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "base/text/text.h"
#include "model/batch.h"

namespace flarestack::codec::otlp {

// In addition to its place in a table: the entry in the store's in-memory table of known content,
// with its hash and number, and the written record.
inline constexpr uint64_t kStoredEntryBytes = 224;

template <typename T>
constexpr uint64_t MemoryOfEntry() {
  constexpr uint64_t kGrowth = 2;  // a table may have twice the capacity it uses
  if constexpr (std::is_same_v<T, model::Sample> || std::is_same_v<T, model::Line> ||
                std::is_arithmetic_v<T> || sizeof(T) <= sizeof(uint32_t))
    return kGrowth * sizeof(T);
  else
    return kGrowth * sizeof(T) + kStoredEntryBytes;
}

// A number of a list, which becomes a column of a stored row: 8 bytes in the table, and 8 more in
// the written row.
inline constexpr uint64_t kNumberBytes = 24;

// The text of a JSON message, its copy with padding, the positions of its tokens and its strings.
inline constexpr uint64_t kJsonBytesPerByte = 8;

// Layouts before 1.8 are converted entry by entry.
inline constexpr uint64_t kOldLayoutBytesPerByte = 32;

inline constexpr char kMemoryLimitMark[] = "flarestack.memory_limit";

inline absl::Status MemoryLimitError(uint64_t bytes_max) {
  absl::Status status = absl::ResourceExhaustedError(base::StrCat(
      "the message needs more than ", bytes_max,
      " bytes of memory for decoding; send smaller messages, or raise --memory-limit"));
  status.SetPayload(kMemoryLimitMark, absl::Cord("1"));
  return status;
}

// Whether a message was rejected only for its memory, and may be decoded where more is available.
inline bool IsMemoryLimit(const absl::Status& status) {
  return status.GetPayload(kMemoryLimitMark).has_value();
}

}  // namespace flarestack::codec::otlp
