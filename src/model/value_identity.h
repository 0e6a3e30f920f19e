// SPDX-License-Identifier: Apache-2.0
//
// When are two attribute values the same? By content: a string counts the same whether it is
// written out or given by reference, and the order of a key-value list matters as it is written.
// Two values may belong to two dictionaries.
#pragma once

#include <string>

#include "model/dictionary.h"

namespace flarestack::model {

// Appends bytes that two values share exactly when they are the same. Each field is
// length-prefixed, so no two contents can be glued into one. The indices of the value must be
// valid.
void AppendCanonical(const Dictionary& dictionary, const AnyValue& value, std::string* out);

// The same question without the bytes: equal values have equal hashes.
uint64_t HashValue(const Dictionary& dictionary, const AnyValue& value);
bool SameValue(const Dictionary& a_dictionary, const AnyValue& a, const Dictionary& b_dictionary,
               const AnyValue& b);

// As above for one text field.
void AppendCanonical(std::string_view text, std::string* out);
void AppendCanonical(uint64_t number, std::string* out);

}  // namespace flarestack::model
