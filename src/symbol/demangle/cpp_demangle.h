// SPDX-License-Identifier: Apache-2.0
//
// Demangles C++ names of the Itanium ABI. The C++ library parses them and trusts them: with back
// references, a name of 150 bytes can expand to gigabytes of text, which the library writes before
// it returns. So a name is measured first and rejected if it could grow too large.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flarestack::symbol {

// Longer names are not demangled: the library's parser recurses with the length of the name. Debian
// 12's library itself stops at 1,023.
inline constexpr size_t kCppNameBytesMax = 4 << 10;

// The most that the library may have to write before we truncate it: 64 MiB, about a tenth of a
// second.
inline constexpr uint64_t kCppExpandedBytesMax = uint64_t{64} << 20;

// Returns an upper bound of the demangled size: never exact, but never too low. UINT64_MAX means at
// least that much. Of 72,000 names of real programs 117 are above the limit, most of them from
// Boost.Asio, which refer back dozens of times.
uint64_t CppExpansionBound(std::string_view mangled);

// Returns nullopt if the name (`_Z...`) is not C++, or is too long in either form.
std::optional<std::string> DemangleCpp(std::string_view mangled);

}  // namespace flarestack::symbol
