// SPDX-License-Identifier: Apache-2.0
//
// Decodes the record of a thread's active span (OTEP 4947), as copied by BPF while the thread was
// stopped.
//
//   0 trace id | 16 span id | 24 valid | 25 flags | 26 length of attributes | 28 attributes
//   an attribute: index of its key | length | text
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace flarestack::record::agent {

inline constexpr size_t kThreadContextHeaderBytes = 28;

struct ThreadContext {
  std::array<uint8_t, 16> trace_id = {};
  std::array<uint8_t, 8> span_id = {};
  uint8_t trace_flags = 0;
  bool has_span = false;  // false: both ids are zero

  struct Attribute {
    std::string_view key;    // from the key map
    std::string_view value;  // valid UTF-8
  };
  // Sorted by key index, without duplicates.
  std::vector<Attribute> attributes;

  // The record has a key beyond the key map: the process has published a longer map since. Decode
  // the record again with the new map; these attributes are missing here.
  bool needs_new_keys = false;
  uint32_t bad_text_count = 0;  // skipped values that are not UTF-8
};

// Views point into `record` and `keys`. Returns nullopt if the record is invalid, too short, or has
// only one of the two ids. A truncated record (its attributes are longer than the copy) yields the
// attributes that are complete.
std::optional<ThreadContext> DecodeThreadContext(std::string_view record,
                                                 std::span<const std::string_view> keys);

}  // namespace flarestack::record::agent
