// SPDX-License-Identifier: Apache-2.0
//
// One attribute value as a separate JSON text, such as {"doubleValue":1.5}, for formats whose
// labels are only text and integers.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "model/builder/dictionary_builder.h"
#include "model/dictionary.h"

namespace flarestack::codec::otlp {

// Appends an AnyValue object. Strings and keys are written inline, so the text does not depend on
// the dictionary. The indices of the value must be valid.
void EncodeJsonValue(const model::Dictionary& dictionary, const model::AnyValue& value,
                     std::string* out);

// The value belongs to the builder's dictionary. Returns kInvalidArgument if the text is not an
// AnyValue object or contains a string by index.
absl::StatusOr<model::AnyValue> DecodeJsonValue(std::string_view json,
                                                model::DictionaryBuilder* builder);

}  // namespace flarestack::codec::otlp
