// SPDX-License-Identifier: Apache-2.0
//
// The sender of a request and its permissions. Servers call an Authenticator; we ship AuthFile in
// auth_file.h, and tests provide their own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "net/rate_limit.h"

namespace flarestack::net {

// The role that a route requires. kNone is open to everyone; credentials are not checked.
enum class Role : uint8_t { kNone = 0, kRead = 1, kWrite = 2, kAdmin = 4 };

// A set, not a level: an agent that may write profiles need not be able to read those of others.
// Only kAdmin includes the other two.
class RoleSet {
 public:
  void Add(Role role) { bits_ |= static_cast<unsigned>(role); }
  bool Has(Role role) const {
    return role == Role::kNone || (bits_ & static_cast<unsigned>(role)) != 0 ||
           (bits_ & static_cast<unsigned>(Role::kAdmin)) != 0;
  }
  bool empty() const { return bits_ == 0; }

  static RoleSet All() {
    RoleSet all;
    all.Add(Role::kAdmin);
    return all;
  }

  friend bool operator==(RoleSet, RoleSet) = default;

 private:
  unsigned bits_ = 0;
};

// Formats roles as "read,write", in this order; ParseRoles is the reverse.
std::string ToString(RoleSet roles);
absl::StatusOr<RoleSet> ParseRoles(std::string_view text);

struct Principal {
  std::string name;                  // of the token or user; empty without authentication
  std::vector<std::string> tenants;  // tenants it may use; empty: all
  RoleSet roles = RoleSet::All();
  std::shared_ptr<RateLimit> rate_limit;  // null: unlimited
};

struct Credentials {
  std::string_view authorization;    // the header `Authorization`, or empty
  std::string_view tls_client_name;  // of a verified client certificate, or empty
};

class Authenticator {
 public:
  virtual ~Authenticator() = default;

  // Returns kUnauthenticated if credentials are missing or wrong. Worker threads call it
  // concurrently.
  virtual absl::StatusOr<Principal> Authenticate(const Credentials& credentials) = 0;

  // Called for each request that Admit() rejects. `name` is a known name or empty: the name given
  // by an unknown sender may be a misplaced secret.
  virtual void OnRejected(std::string_view /*name*/, const absl::Status& /*status*/) {}
};

// Attaches a known name to a rejection. OnRejected() gets the name, the sender does not.
absl::Status WithKnownName(absl::Status status, std::string_view name);

// Authenticates (unless `needed` is kNone), checks the role, and takes one request from the rate
// limit. Returns kUnauthenticated, kPermissionDenied, or kResourceExhausted with a RetryDelay(). A
// null authenticator allows everything.
absl::StatusOr<Principal> Admit(Authenticator* authenticator, const Credentials& credentials,
                                Role needed);

}  // namespace flarestack::net
