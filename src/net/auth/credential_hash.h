// SPDX-License-Identifier: Apache-2.0
//
// The cryptographic functions needed for credentials, over OpenSSL. Results are raw bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace flarestack::net {

std::string RandomBytes(size_t count);

// Fast, and sufficient for a secret of 256 random bits.
std::string Sha256(std::string_view bytes);

std::string HmacSha256(std::string_view key, std::string_view bytes);

// For passwords chosen by people: PBKDF2 with HMAC-SHA-256, slow on purpose.
struct PasswordHashInput {
  std::string_view password;
  std::string_view salt;
  int rounds = 0;
};
std::string HashPassword(const PasswordHashInput& input);

// For values of the same length, takes equally long for a wrong value and the right one.
bool EqualsInConstantTime(std::string_view a, std::string_view b);

}  // namespace flarestack::net
