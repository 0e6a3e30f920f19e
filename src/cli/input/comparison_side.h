// SPDX-License-Identifier: Apache-2.0
//
// A side of a comparison that is asked of a server: `{...}`, or SERVICE@VERSION.
#pragma once

#include <string>
#include <string_view>

namespace flarestack::cli {

// A selector, or something@something that is not the name of a file.
bool IsServerSide(const std::string& side);

// The conditions of both: what holds for both sides (-q, may be empty), and what the side says.
std::string SelectorOf(std::string_view common, std::string_view side);

}  // namespace flarestack::cli
