// SPDX-License-Identifier: Apache-2.0
//
// What one message takes in memory until it is stored: its own tables, which grow by doubling, and
// what the store makes of them. An estimate, on the safe side; bench/overload_bench.cc compares it
// with what a server really takes.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "base/text.h"
#include "model/batch.h"

namespace flarestack::codec::otlp {

// Beside its place in a table: the entry in the store's memory of known content, with its hash and
// number, and the record that is written.
inline constexpr uint64_t kStoredEntryBytes = 224;

template <typename T>
constexpr uint64_t MemoryOfEntry() {
  constexpr uint64_t kGrowth = 2;  // a table may have room for as many again
  if constexpr (std::is_same_v<T, model::Sample> || std::is_same_v<T, model::Line> ||
                std::is_arithmetic_v<T> || sizeof(T) <= sizeof(uint32_t))
    return kGrowth * sizeof(T);
  else
    return kGrowth * sizeof(T) + kStoredEntryBytes;
}

// A number of a list, which is a column of a row that is stored: 8 bytes in the table, as many in
// the row that is written.
inline constexpr uint64_t kNumberBytes = 24;

// The text of a JSON message, its copy with padding, the positions of its tokens and its strings.
inline constexpr uint64_t kJsonBytesPerByte = 8;

// Layouts before 1.8 are rebuilt entry by entry.
inline constexpr uint64_t kOldLayoutBytesPerByte = 32;

inline constexpr char kMemoryLimitMark[] = "flarestack.memory_limit";

inline absl::Status MemoryLimitError(uint64_t bytes_max) {
  absl::Status status = absl::ResourceExhaustedError(base::StrCat(
      "the message takes more than ", bytes_max,
      " bytes of memory once it is decoded; send smaller ones, or raise --memory-limit"));
  status.SetPayload(kMemoryLimitMark, absl::Cord("1"));
  return status;
}

// Whether a message was refused for its memory alone, and may be decoded where there is more.
inline bool IsMemoryLimit(const absl::Status& status) {
  return status.GetPayload(kMemoryLimitMark).has_value();
}

}  // namespace flarestack::codec::otlp
