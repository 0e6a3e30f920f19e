// SPDX-License-Identifier: Apache-2.0
#include "record/process/context/thread_context.h"

#include <algorithm>

#include "base/text/encoding.h"
#include "elf/byte_cursor.h"

namespace flarestack::record::agent {
namespace {

constexpr uint8_t kValid = 1;
constexpr size_t kKeysMax = 256;

template <size_t kBytes>
bool CopyId(std::string_view bytes, std::array<uint8_t, kBytes>* id) {
  std::copy(bytes.begin(), bytes.end(), id->begin());
  return std::any_of(id->begin(), id->end(), [](uint8_t byte) { return byte != 0; });
}

}  // namespace

std::optional<ThreadContext> DecodeThreadContext(std::string_view record,
                                                 std::span<const std::string_view> keys) {
  elf::ByteCursor in(record);
  ThreadContext context;
  const std::string_view trace_id = in.Take(context.trace_id.size());
  const std::string_view span_id = in.Take(context.span_id.size());
  const uint8_t valid = in.U8();
  context.trace_flags = in.U8();
  const uint16_t attribute_bytes = in.U16();
  if (!in.ok() || valid != kValid)
    return std::nullopt;
  const bool has_trace_id = CopyId(trace_id, &context.trace_id);
  const bool has_span_id = CopyId(span_id, &context.span_id);
  if (has_trace_id != has_span_id)
    return std::nullopt;
  context.has_span = has_trace_id;

  std::array<std::optional<std::string_view>, kKeysMax> values;
  std::string_view rest = in.rest().substr(0, attribute_bytes);
  while (rest.size() >= 2) {
    const auto key = static_cast<uint8_t>(rest[0]);
    const auto bytes = static_cast<uint8_t>(rest[1]);
    if (rest.size() < size_t{2} + bytes)
      break;
    values[key] = rest.substr(2, bytes);  // the last one wins
    rest.remove_prefix(size_t{2} + bytes);
  }
  for (size_t key = 0; key < values.size(); ++key) {
    if (!values[key].has_value())
      continue;
    if (key >= keys.size()) {
      context.needs_new_keys = true;
    } else if (!base::IsValidUtf8(*values[key])) {
      ++context.bad_text_count;
    } else if (!keys[key].empty()) {
      context.attributes.push_back({.key = keys[key], .value = *values[key]});
    }
  }
  return context;
}

}  // namespace flarestack::record::agent
