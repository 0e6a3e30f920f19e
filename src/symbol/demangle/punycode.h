// SPDX-License-Identifier: Apache-2.0
//
// Identifiers beyond ASCII in names of Rust (RFC 3492, with `_` as the delimiter).
#pragma once

#include <string>
#include <string_view>

namespace flarestack::symbol {

// False, and nothing appended, for what is no character: surrogates and numbers above 0x10ffff.
bool AppendUtf8(char32_t code_point, std::string* out);

// UTF-8 of an encoded identifier; empty where it is malformed or longer than 1,024 characters.
std::string DecodePunycode(std::string_view encoded);

}  // namespace flarestack::symbol
