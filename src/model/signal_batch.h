// SPDX-License-Identifier: Apache-2.0
//
// The common part of the batches of traces, logs and metrics: the resource > scope > item tree
// around the items, and the pool of attribute values.
//
//   resources[i].scopes -> scopes[..]    scopes[j].items -> spans, log_records or metrics
//
// As in a profiles batch, repeated fields are slices of a pool. A decoder makes the batch: from
// protobuf, its views point into the input bytes, which must outlive it; from JSON, its arena owns
// the text. Strings by reference (AnyValue::Kind::kStringIndex, KeyValue::key_index) exist only in
// profiles.
#pragma once

#include <string_view>
#include <vector>

#include "base/memory/arena.h"
#include "model/any_value.h"
#include "model/resource.h"

namespace flarestack::model {

// The lengths of non-empty ids.
inline constexpr size_t kTraceIdBytes = 16;
inline constexpr size_t kSpanIdBytes = 8;

// Whether the id has the right length and is not all zero.
bool IsValidTraceId(std::string_view id);
bool IsValidSpanId(std::string_view id);

struct ItemScope : InstrumentationScope {
  Slice items;
};

struct SignalBatch {
  base::Arena arena;  // first, so that it is destroyed last
  std::vector<Resource> resources;
  std::vector<ItemScope> scopes;
  std::vector<EntityRef> entity_refs;
  std::vector<std::string_view> entity_keys;
  std::vector<KeyValue> nodes;  // all attributes, and the elements of arrays and key-value lists

 protected:
  // Use the concrete types: TraceBatch, LogBatch or MetricBatch.
  SignalBatch() = default;
  ~SignalBatch() = default;
  SignalBatch(SignalBatch&&) = default;
  SignalBatch& operator=(SignalBatch&&) = default;

  void ClearTree();
};

}  // namespace flarestack::model
