// SPDX-License-Identifier: Apache-2.0
//
// Reads untrusted JSON: a missing member, or one of another type, becomes empty or 0. Never throws.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace flarestack::cli {

using Json = nlohmann::ordered_json;  // keeps members in insertion order

// A member of an object, or an element of an array; null if missing.
const Json& At(const Json& object, std::string_view key);
const Json& At(const Json& array, size_t index);

// Strings as they are; numbers and booleans as text; other values as JSON. Null is empty.
std::string TextOf(const Json& value);
// A number, or a string with a number, which is how points in time are encoded.
int64_t IntOf(const Json& value);
double NumberOf(const Json& value);
bool IsTrue(const Json& value);

// "a, b, c"
std::string Joined(const Json& array, std::string_view separator = ", ");

// {"a":"1","b":"2"} as "a=1 b=2"
std::string PairsText(const Json& object);

}  // namespace flarestack::cli
