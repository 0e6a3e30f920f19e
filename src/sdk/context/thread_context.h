// SPDX-License-Identifier: Apache-2.0
//
// The active span and the labels of each thread, published for any profiler (OTEP 4947): the
// thread-local pointer otel_thread_ctx_v1 points to a record while there is something to publish.
//
//   0 trace id | 16 span id | 24 valid | 25 flags | 26 length of labels | 28 labels
//   a label: index of its key | length | text
//
// Only the owner of a record writes to it. Readers stop the thread first: signal handlers on the
// same thread, and profilers in the kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace flarestack::sdk {

inline constexpr size_t kLabelBytesMax = 612;

struct ThreadContextRecord {
  std::array<uint8_t, 16> trace_id;
  std::array<uint8_t, 8> span_id;
  uint8_t valid;
  uint8_t trace_flags;
  uint16_t label_bytes;
  std::array<uint8_t, kLabelBytesMax> labels;
};
static_assert(sizeof(ThreadContextRecord) == 640);

// Ids of 16 and 8 bytes. False if there is no memory for the thread's record.
bool AttachSpan(const uint8_t* trace_id, const uint8_t* span_id, uint8_t trace_flags);
void DetachSpan();

// The span of the calling thread, for the one who puts it back later.
struct ActiveSpan {
  std::array<uint8_t, 16> trace_id = {};
  std::array<uint8_t, 8> span_id = {};
  uint8_t trace_flags = 0;
  bool is_set = false;
};
ActiveSpan CurrentSpan();

// Sets, replaces or (with an empty value) removes a label. False if the record is full or there is
// none; values of more than 255 bytes are cut.
bool SetLabel(uint8_t key, std::string_view value);
std::string_view CurrentLabel(uint8_t key);

}  // namespace flarestack::sdk
