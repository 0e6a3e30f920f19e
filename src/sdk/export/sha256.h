// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace flarestack::sdk {

// FIPS 180-4.
std::array<uint8_t, 32> Sha256(std::string_view bytes);

// process.executable.build_id.htlhash of a file: the first 16 bytes, in hexadecimal, of the SHA-256
// of its first 4096 bytes, its last 4096 bytes and its length. Empty if it cannot be read.
std::string HtlHashOf(const std::string& path);

// The same for a file that exists only in memory.
std::string HtlHashOfImage(std::string_view image);

}  // namespace flarestack::sdk
