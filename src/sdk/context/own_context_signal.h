// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace flarestack::sdk {

// The ids of the active span and the labels of a thread, as in its context record.
struct OwnContext {
  std::array<uint8_t, 16> trace_id = {};
  std::array<uint8_t, 8> span_id = {};
  bool has_span = false;
  std::span<const uint8_t> labels = {};  // {key, length, text}...
};

// Reads the context of the calling thread. Async-signal-safe.
OwnContext ReadOwnContext();

}  // namespace flarestack::sdk
