// SPDX-License-Identifier: Apache-2.0
//
// The credential file: principals and their permissions. It stores secrets only as hashes.
//
//   # written by flarestack
//   token name=agent-7 roles=write tenant=shop,bar requests=50 bytes=1000000 sha256=9f86...
//   user name=anna roles=read,write rounds=200000 salt=77c1... pbkdf2=5e88...
//   certificate name=agent.example.com roles=write
//
// `certificate` is the name in a TLS client certificate. The file must belong to us and be
// inaccessible to others (mode 0600).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "net/principal.h"
#include "net/rate_limit.h"

namespace flarestack::net {

enum class AuthKind { kToken, kUser, kCertificate };

std::string_view NameOf(AuthKind kind);

std::string JoinTenants(const std::vector<std::string>& tenants);  // "shop,bar"

// The public part of a record: may be shown to anyone who may see the list.
struct AuthEntry {
  AuthKind kind = AuthKind::kToken;
  std::string name;  // unique within its kind
  RoleSet roles;
  std::vector<std::string> tenants;  // tenants it may use; empty: all
  RateLimit::Limits limits;
};

struct AuthRecord {
  AuthEntry entry;
  std::string hash;  // of the token or password
  std::string salt;  // of a password
  int rounds = 0;
};

inline constexpr size_t kAuthEntriesMax = 10'000;
inline constexpr int kPasswordRoundsMin = 200'000;

// Returns kInvalidArgument with the line number. Messages never contain any part of a secret.
absl::StatusOr<std::vector<AuthRecord>> ParseAuthRecords(std::string_view text);
std::string FormatAuthRecords(const std::vector<AuthRecord>& records);

// Returns kFailedPrecondition if others could read or change the file.
absl::StatusOr<std::vector<AuthRecord>> ReadAuthRecords(const std::string& path);

// Replaces the file atomically, with mode 0600.
absl::Status WriteAuthRecords(const std::string& path, const std::vector<AuthRecord>& records);

// Accepts letters, digits and ".-_@", at most 128.
absl::Status CheckAuthName(std::string_view what, std::string_view name);

}  // namespace flarestack::net
