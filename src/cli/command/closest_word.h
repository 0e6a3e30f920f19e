// SPDX-License-Identifier: Apache-2.0
//
// "Did you mean ...?" for a mistyped command or flag.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace flarestack::cli {

// The candidate with the fewest edits (insert, delete, replace, swap neighbours); empty if none is
// within a third of the word's length. The first of several wins.
std::string ClosestWord(std::string_view word, std::span<const std::string> candidates);

}  // namespace flarestack::cli
