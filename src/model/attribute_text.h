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

// Dots and underscores are alike, because half of the tools know only the latter.
bool SameAttributeKey(std::string_view a, std::string_view b);

// The first of `attributes` with this key; null where there is none.
const AnyValue* FindAttribute(const SignalBatch& batch, Slice attributes, std::string_view key);

}  // namespace flarestack::model
