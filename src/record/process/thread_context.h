// SPDX-License-Identifier: Apache-2.0
//
// The record of a thread's active span (OTEP 4947), as the kernel's side copied it while the thread
// stood still.
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
  bool has_span = false;  // else both ids are zero

  struct Attribute {
    std::string_view key;    // of the key map
    std::string_view value;  // valid UTF-8
  };
  // In order of their keys' indices, each once.
  std::vector<Attribute> attributes;

  // A key beyond the key map was met: the process has published a longer one since. The record
  // should be decoded again with that; these attributes are missing here.
  bool needs_new_keys = false;
  uint32_t bad_text_count = 0;  // values that are no UTF-8, left out
};

// Views point into `record` and `keys`. Nothing when the record is not valid, too short, or has but
// one of the two ids. A record that was cut (its attributes are longer than what was copied) gives
// the attributes that are whole.
std::optional<ThreadContext> DecodeThreadContext(std::string_view record,
                                                 std::span<const std::string_view> keys);

}  // namespace flarestack::record::agent
