// SPDX-License-Identifier: Apache-2.0
#include "net/auth/credential_hash.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include "base/check.h"

namespace flarestack::net {
namespace {

constexpr size_t kSha256Bytes = 32;

unsigned char* Bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string RandomBytes(size_t count) {
  std::string bytes(count, '\0');
  FLARE_CHECK(RAND_bytes(Bytes(bytes), static_cast<int>(count)) == 1);
  return bytes;
}

std::string Sha256(std::string_view bytes) {
  std::string digest(kSha256Bytes, '\0');
  FLARE_CHECK(
      EVP_Digest(bytes.data(), bytes.size(), Bytes(digest), nullptr, EVP_sha256(), nullptr) == 1);
  return digest;
}

std::string HmacSha256(std::string_view key, std::string_view bytes) {
  std::string digest(kSha256Bytes, '\0');
  FLARE_CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), Bytes(bytes),
                   bytes.size(), Bytes(digest), nullptr) != nullptr);
  return digest;
}

std::string HashPassword(const PasswordHashInput& input) {
  std::string hash(kSha256Bytes, '\0');
  FLARE_CHECK(PKCS5_PBKDF2_HMAC(input.password.data(), static_cast<int>(input.password.size()),
                                Bytes(input.salt), static_cast<int>(input.salt.size()),
                                input.rounds, EVP_sha256(), static_cast<int>(kSha256Bytes),
                                Bytes(hash)) == 1);
  return hash;
}

bool EqualsInConstantTime(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace flarestack::net
