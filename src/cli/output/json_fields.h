// SPDX-License-Identifier: Apache-2.0
//
// Reads JSON that somebody else wrote: what is not there, or is of another kind, is empty or 0, and
// nothing throws.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace flarestack::cli {

using Json = nlohmann::ordered_json;  // members stay in the order in which they were written

// A member of an object, or an element of an array; null where there is none.
const Json& At(const Json& object, std::string_view key);
const Json& At(const Json& array, size_t index);

// Text as it is; numbers and truth values as text; other things as JSON. Null is empty.
std::string TextOf(const Json& value);
// A number, or the text of one, as points in time are written.
int64_t IntOf(const Json& value);
double NumberOf(const Json& value);
bool IsTrue(const Json& value);

// "a, b, c"
std::string Joined(const Json& array, std::string_view separator = ", ");

// {"a":"1","b":"2"} as "a=1 b=2"
std::string PairsText(const Json& object);

}  // namespace flarestack::cli
