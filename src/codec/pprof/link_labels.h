// SPDX-License-Identifier: Apache-2.0
//
// Decides whether the labels trace_id and span_id represent a link: both must be ids, in lower-case
// hexadecimal, of the right length, and not all zero. Both directions must agree on this.
#pragma once

#include <cstddef>
#include <string_view>

namespace flarestack::codec::pprof {

inline constexpr size_t kTraceIdBytes = 16;
inline constexpr size_t kSpanIdBytes = 8;

inline bool IsHexId(std::string_view text, size_t bytes) {
  return text.size() == bytes * 2 &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
         text.find_first_not_of('0') != std::string_view::npos;
}

}  // namespace flarestack::codec::pprof
