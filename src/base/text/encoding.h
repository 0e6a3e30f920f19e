// SPDX-License-Identifier: Apache-2.0
//
// Small text encodings of bytes: hexadecimal, base64, UTF-8 validity, JSON strings.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace flarestack::base {

// Lower case, two digits per byte.
std::string HexEncode(std::string_view bytes);

// Accepts either case. Returns nullopt if a character is not a digit or the length is odd.
std::optional<std::string> HexDecode(std::string_view digits);

std::string Base64Encode(std::string_view bytes);

// Accepts the standard and the URL-safe alphabet, padded or not (proto3 JSON requires readers to
// accept both).
std::optional<std::string> Base64Decode(std::string_view text);

bool IsValidUtf8(std::string_view text);

// Returns the text with each invalid sequence replaced by U+FFFD.
std::string ToValidUtf8(std::string_view text);

// Appends `text` as a JSON string with its quotes. Invalid UTF-8 is replaced, so the result is
// always valid JSON.
void AppendJsonString(std::string_view text, std::string* out);

}  // namespace flarestack::base
