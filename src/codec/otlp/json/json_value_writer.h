// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "codec/otlp/json/json_output.h"
#include "model/dictionary.h"

namespace flarestack::codec::otlp {

// How to write strings that the model stores by reference. kResolve needs valid indices.
enum class JsonReferences { kKeep, kResolve };

// The pool with the elements of values. The dictionary is needed to resolve references; without one
// the values must not contain any.
struct JsonValues {
  const std::vector<model::KeyValue>& nodes;
  const model::Dictionary* dictionary = nullptr;
  JsonReferences references = JsonReferences::kKeep;
};

void WriteJsonValue(const JsonValues& values, const model::AnyValue& value, JsonOutput* out);

// Writes a list of KeyValue; omits it if empty.
void WriteJsonKeyValues(const JsonValues& values, std::string_view name, model::Slice nodes,
                        JsonOutput* out);

}  // namespace flarestack::codec::otlp
