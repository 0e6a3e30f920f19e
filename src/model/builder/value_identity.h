// SPDX-License-Identifier: Apache-2.0
//
// Compares attribute values by content: a string is the same whether it is stored inline or by
// reference, and the order of a key-value list matters. The two values may belong to different
// dictionaries.
#pragma once

#include <string>

#include "model/dictionary.h"

namespace flarestack::model {

// Appends bytes that are equal for two values exactly when the values are the same. Each field is
// length-prefixed, so different contents never produce the same bytes. The indices of the value
// must be valid.
void AppendCanonical(const Dictionary& dictionary, const AnyValue& value, std::string* out);

// Same comparison without building the bytes: equal values have equal hashes.
uint64_t HashValue(const Dictionary& dictionary, const AnyValue& value);
bool SameValue(const Dictionary& a_dictionary, const AnyValue& a, const Dictionary& b_dictionary,
               const AnyValue& b);

// Same for a single text or number.
void AppendCanonical(std::string_view text, std::string* out);
void AppendCanonical(uint64_t number, std::string* out);

}  // namespace flarestack::model
