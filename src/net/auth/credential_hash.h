// SPDX-License-Identifier: Apache-2.0
//
// The few cryptographic functions that credentials need, over OpenSSL. Results are plain bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace flarestack::net {

std::string RandomBytes(size_t count);

// Enough for a secret of 256 random bits, and quick.
std::string Sha256(std::string_view bytes);

std::string HmacSha256(std::string_view key, std::string_view bytes);

// For passwords, which people choose: PBKDF2 with HMAC-SHA-256, slow on purpose.
struct PasswordHashInput {
  std::string_view password;
  std::string_view salt;
  int rounds = 0;
};
std::string HashPassword(const PasswordHashInput& input);

// Takes as long for a wrong value as for the right one of the same length.
bool EqualsInConstantTime(std::string_view a, std::string_view b);

}  // namespace flarestack::net
