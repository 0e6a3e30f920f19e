// SPDX-License-Identifier: Apache-2.0
//
// What the batches of traces, logs and metrics have in common: the resource > scope > item tree
// around the items, and the pool of attribute values.
//
//   resources[i].scopes -> scopes[..]    scopes[j].items -> spans, log_records or metrics
//
// As in a profiles batch everything repeated is a slice of a pool. A batch is made by a decoder:
// from protobuf its views point into the bytes it was given, which must outlive it; from JSON its
// arena holds the text. Strings by reference (AnyValue::Kind::kStringIndex, KeyValue::key_index)
// belong to profiles and do not occur.
#pragma once

#include <string_view>
#include <vector>

#include "base/arena.h"
#include "model/any_value.h"
#include "model/resource.h"

namespace flarestack::model {

// The lengths of ids that are not empty.
inline constexpr size_t kTraceIdBytes = 16;
inline constexpr size_t kSpanIdBytes = 8;

// Of the right length and not all zero.
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
  std::vector<KeyValue> nodes;  // attributes of everything, elements of arrays and key-value lists

 protected:
  // Batches are handled as what they are: a TraceBatch, a LogBatch or a MetricBatch.
  SignalBatch() = default;
  ~SignalBatch() = default;
  SignalBatch(SignalBatch&&) = default;
  SignalBatch& operator=(SignalBatch&&) = default;

  void ClearTree();
};

}  // namespace flarestack::model
