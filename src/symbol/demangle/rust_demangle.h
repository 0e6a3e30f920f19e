// SPDX-License-Identifier: Apache-2.0
//
// Demangles Rust names in both schemes. The legacy one looks like C++ with a hash as its last
// element; v0 has a separate grammar (RFC 2603) with back references.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace flarestack::symbol {

// `_ZN...17h<16 hex digits>E`. Drops the hash. Returns nullopt if the name does not have this form.
std::optional<std::string> DemangleRustLegacy(std::string_view mangled);

// `_R...`. Omits crate hashes, the crate that instantiated a generic, vendor suffixes after a `.`
// or `$`, and the types of constants.
std::optional<std::string> DemangleRustV0(std::string_view mangled);

}  // namespace flarestack::symbol
