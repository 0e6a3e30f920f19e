// SPDX-License-Identifier: Apache-2.0
//
// Names of Rust in both of its schemes. The legacy one looks like C++ with a hash as its last
// element; v0 has a grammar of its own (RFC 2603) with back references.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace flarestack::symbol {

// `_ZN...17h<16 hex digits>E`. The hash is dropped. Nothing where the name is not of this form.
std::optional<std::string> DemangleRustLegacy(std::string_view mangled);

// `_R...`. Left out: hashes of crates, the crate that instantiated a generic, whatever a vendor
// appended after a `.` or `$`, the types of constants.
std::optional<std::string> DemangleRustV0(std::string_view mangled);

}  // namespace flarestack::symbol
