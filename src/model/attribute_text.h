// SPDX-License-Identifier: Apache-2.0
//
// Attributes as text, for filters and tables.
#pragma once

#include <string>
#include <string_view>

#include "model/dictionary.h"

namespace flarestack::model {

// "web-1", "42", "true", "[a, b]", "{k: v}"; bytes in hexadecimal.
std::string AttributeText(const Dictionary& dictionary, const AnyValue& value);

// Dots and underscores are alike, because half of the tools know only the latter.
bool SameAttributeKey(std::string_view a, std::string_view b);

}  // namespace flarestack::model
