// SPDX-License-Identifier: Apache-2.0
//
// The source text of the shop's programs, for the lines that profiles point at.
#pragma once

#include <optional>
#include <string_view>

namespace flarestack::demo {

// `path` is the file of a frame, such as "coupon.cc". The text lives as long as the
// program. Libraries, and parts of the shop off the guide's path, have none.
std::optional<std::string_view> SourceText(std::string_view path);

}  // namespace flarestack::demo
