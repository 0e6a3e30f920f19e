// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "codec/otlp/json/json_output.h"
#include "model/dictionary.h"

namespace flarestack::codec::otlp {

// How a string that the model holds by reference is written. kResolve needs valid indices.
enum class JsonReferences { kKeep, kResolve };

// Where the elements of values stand. The dictionary is needed to resolve references; without one
// the values must hold none.
struct JsonValues {
  const std::vector<model::KeyValue>& nodes;
  const model::Dictionary* dictionary = nullptr;
  JsonReferences references = JsonReferences::kKeep;
};

void WriteJsonValue(const JsonValues& values, const model::AnyValue& value, JsonOutput* out);

// A list of KeyValue; left out when empty.
void WriteJsonKeyValues(const JsonValues& values, std::string_view name, model::Slice nodes,
                        JsonOutput* out);

}  // namespace flarestack::codec::otlp
