// SPDX-License-Identifier: Apache-2.0
//
// One attribute value as a JSON text of its own, such as {"doubleValue":1.5}: for formats whose
// labels hold nothing but text and integers.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "model/dictionary.h"
#include "model/dictionary_builder.h"

namespace flarestack::codec::otlp {

// Appends an AnyValue object. Strings and keys are written out, so the text means the same without
// the dictionary. The indices of the value must be valid.
void EncodeJsonValue(const model::Dictionary& dictionary, const model::AnyValue& value,
                     std::string* out);

// The value belongs to the builder's dictionary. kInvalidArgument when the text is not an AnyValue
// object, or holds a string by index.
absl::StatusOr<model::AnyValue> DecodeJsonValue(std::string_view json,
                                                model::DictionaryBuilder* builder);

}  // namespace flarestack::codec::otlp
