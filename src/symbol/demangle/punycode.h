// SPDX-License-Identifier: Apache-2.0
//
// Non-ASCII identifiers in Rust names (RFC 3492, with `_` as the delimiter).
#pragma once

#include <string>
#include <string_view>

namespace flarestack::symbol {

// Returns false and appends nothing for invalid code points: surrogates and values above 0x10ffff.
bool AppendUtf8(char32_t code_point, std::string* out);

// Returns the UTF-8 of an encoded identifier; empty if it is malformed or longer than 1,024
// characters.
std::string DecodePunycode(std::string_view encoded);

}  // namespace flarestack::symbol
