// SPDX-License-Identifier: Apache-2.0
//
// A side of a comparison that is read from a server: `{...}`, or SERVICE@VERSION.
#pragma once

#include <string>
#include <string_view>

namespace flarestack::cli {

// True for a selector, or for a SERVICE@VERSION that is not an existing file.
bool IsServerSide(const std::string& side);

// Combines the conditions common to both sides (-q, may be empty) with those of one side.
std::string SelectorOf(std::string_view common, std::string_view side);

}  // namespace flarestack::cli
