// SPDX-License-Identifier: Apache-2.0
//
// Repeated fields of OTLP/JSON, read into the pools of a batch.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/status.h"
#include "codec/otlp/json/json_input.h"
#include "codec/otlp/values/limits.h"
#include "codec/otlp/values/memory_cost.h"
#include "model/index.h"

namespace flarestack::codec::otlp {

// Appends a list of scalars to a pool.
template <typename T>
absl::Status ReadJsonList(JsonInput& in, const Limits& limits, JsonInput::Value& value,
                          std::vector<T>* pool, model::Slice* out) {
  const auto read_item = [&](JsonInput::Value& element) {
    FLARE_RETURN_IF_ERROR(
        in.CheckLimit(pool->size(), limits.list_elements_max, "list elements",
                      sizeof(T) == sizeof(uint64_t) ? kNumberBytes : MemoryOfEntry<T>()));
    pool->emplace_back();
    return in.Read(element, &pool->back());
  };
  const size_t begin = pool->size();
  FLARE_RETURN_IF_ERROR(in.ReadArray(value, read_item));
  *out = {.begin = static_cast<uint32_t>(begin),
          .count = static_cast<uint32_t>(pool->size() - begin)};
  return absl::OkStatus();
}

// Reads a list of messages; `read_entry` appends each to `table`.
template <typename Entry, typename ReadEntry>
absl::Status ReadJsonMessages(JsonInput& in, JsonInput::Value& value,
                              const std::vector<Entry>& table, uint32_t count_max,
                              ReadEntry read_entry, model::Slice* out) {
  const auto read_one = [&](JsonInput::Value& element) {
    FLARE_RETURN_IF_ERROR(
        in.CheckLimit(table.size(), count_max, "entries in one message", MemoryOfEntry<Entry>()));
    return read_entry(element);
  };
  const size_t begin = table.size();
  FLARE_RETURN_IF_ERROR(in.ReadArray(value, read_one));
  *out = {.begin = static_cast<uint32_t>(begin),
          .count = static_cast<uint32_t>(table.size() - begin)};
  return absl::OkStatus();
}

}  // namespace flarestack::codec::otlp
