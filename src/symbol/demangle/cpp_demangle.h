// SPDX-License-Identifier: Apache-2.0
//
// Names of C++ in the scheme of the Itanium ABI. The C++ library reads them, and it trusts them:
// back references let a name of 150 bytes stand for gigabytes of text, which the library writes out
// before it answers. A name is therefore measured first and refused where it could grow too large.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flarestack::symbol {

// Longer names are not read: the library's parser recurses by the length of the name. Debian 12's
// library itself stops at 1,023.
inline constexpr size_t kCppNameBytesMax = 4 << 10;

// What the library may have to write at most before we cut it: 64 MiB, for about a tenth of a
// second.
inline constexpr uint64_t kCppExpandedBytesMax = uint64_t{64} << 20;

// An upper bound of the text for which a mangled name stands, exact in no case but never too low;
// UINT64_MAX for more than that. Of 72,000 names of real programs 117 are above the limit, most of
// them Boost.Asio's, which refer back dozens of times.
uint64_t CppExpansionBound(std::string_view mangled);

// Nothing where the name (`_Z...`) is not of C++, or too long in either form.
std::optional<std::string> DemangleCpp(std::string_view mangled);

}  // namespace flarestack::symbol
