// SPDX-License-Identifier: Apache-2.0
//
// Names of D. `_D3foo3barFiZv` is `foo.bar(int)`: a function shows the types of its arguments,
// which tell overloads apart, and neither its return type nor its attributes. Templates show their
// arguments as in `foo.bar!(int, 5)`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace flarestack::symbol {

// Nothing where the name (`_D...`) is not of D, or where its depth, length or work is too large.
std::optional<std::string> DemangleD(std::string_view mangled);

}  // namespace flarestack::symbol
