// SPDX-License-Identifier: Apache-2.0
//
// Attributes as text, for filters and tables.
#pragma once

#include <string>
#include <string_view>

#include "model/dictionary.h"
#include "model/signal_batch.h"

namespace flarestack::model {

// "web-1", "42", "true", "[a, b]", "{k: v}"; bytes in hexadecimal.
std::string AttributeText(const Dictionary& dictionary, const AnyValue& value);
std::string AttributeText(const SignalBatch& batch, const AnyValue& value);

// Treats dots and underscores as equal, because half of the tools support only underscores.
bool SameAttributeKey(std::string_view a, std::string_view b);

// Returns the first of `attributes` with this key, or nullptr if there is none.
const AnyValue* FindAttribute(const SignalBatch& batch, Slice attributes, std::string_view key);

}  // namespace flarestack::model
