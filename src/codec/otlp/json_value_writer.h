// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "codec/otlp/json_output.h"
#include "model/dictionary.h"

namespace flarestack::codec::otlp {

// How a string that the model holds by reference is written. kResolve needs valid indices.
enum class JsonReferences { kKeep, kResolve };

void WriteJsonValue(const model::Dictionary& dictionary, const model::AnyValue& value,
                    JsonReferences references, JsonOutput* out);

// A list of KeyValue; left out when empty.
void WriteJsonKeyValues(const model::Dictionary& dictionary, std::string_view name,
                        model::Slice nodes, JsonReferences references, JsonOutput* out);

}  // namespace flarestack::codec::otlp
