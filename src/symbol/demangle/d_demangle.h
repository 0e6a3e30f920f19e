// SPDX-License-Identifier: Apache-2.0
//
// Demangles D names. `_D3foo3barFiZv` becomes `foo.bar(int)`: a function shows the types of its
// arguments, which distinguish overloads, but not its return type or attributes. Templates show
// their arguments as in `foo.bar!(int, 5)`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace flarestack::symbol {

// Returns nullopt if the name (`_D...`) is not D, or if its depth, length or effort is too large.
std::optional<std::string> DemangleD(std::string_view mangled);

}  // namespace flarestack::symbol
