// SPDX-License-Identifier: Apache-2.0
//
// A message that breaks no rule, for tests to break in one way at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/batch.h"

namespace flarestack::check::testing {

inline constexpr uint64_t kCleanTime = 1'700'000'000'000'000'000;
inline constexpr uint64_t kCleanDuration = 1'000'000'000;

// Two samples, `main;leaf` and `main`, with values and timestamps; a link, a resource, a scope with
// nested attributes. Its text is static. Each table's last entry may be extended in place.
model::Batch CleanBatch();

// Append to a table or list, and return the new index. Text must outlive the batch.
model::StringIndex AddString(model::Batch* batch, std::string_view text);
model::AttributeIndex AddAttribute(model::Batch* batch, std::string_view key,
                                   const model::AnyValue& value);
// Appends to the list of an entry; the list must be at the end of the pool.
void AddToList(model::Batch* batch, model::Slice* list, model::AttributeIndex attribute);
// Appends to the last location.
void AddLine(model::Batch* batch, const model::Line& line);
// Appends to the last stack.
void AddFrame(model::Batch* batch, model::LocationIndex location);
// Appends to the last profile, with one value and one timestamp.
model::Sample& AddSample(model::Batch* batch, model::StackIndex stack, model::LinkIndex link);
// A list of inline attributes of a resource or scope.
model::Slice AddNodes(model::Batch* batch, const std::vector<model::KeyValue>& nodes);

// The message as protobuf.
std::string Encode(const model::Batch& batch);

}  // namespace flarestack::check::testing
