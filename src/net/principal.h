// SPDX-License-Identifier: Apache-2.0
//
// Who sent a request and what they may do. The servers ask an Authenticator; AuthFile in auth.h is
// the one we ship, tests bring their own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "net/rate_limit.h"

namespace flarestack::net {

// What a route asks for. kNone is open to everybody, without a look at the credentials.
enum class Role : uint8_t { kNone = 0, kRead = 1, kWrite = 2, kAdmin = 4 };

// A set and not a level: an agent that may write profiles need not be able to read those of others.
// kAdmin alone contains the other two.
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

// "read,write", in this order; ParseRoles is the reverse.
std::string ToString(RoleSet roles);
absl::StatusOr<RoleSet> ParseRoles(std::string_view text);

struct Principal {
  std::string name;                  // of the token or user; empty when nobody was asked
  std::vector<std::string> tenants;  // that it may use; empty: all of them
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

  // kUnauthenticated: no or wrong credentials. Called by worker threads at the same time.
  virtual absl::StatusOr<Principal> Authenticate(const Credentials& credentials) = 0;

  // Told of each request that Admit() turns away. `name` is one that we know, or empty: what an
  // unknown sender calls itself may be a secret in the wrong place.
  virtual void OnRefused(std::string_view /*name*/, const absl::Status& /*status*/) {}
};

// A refusal of somebody whose name is known; it goes to OnRefused() and not to the sender.
absl::Status WithKnownName(absl::Status status, std::string_view name);

// Authenticates (unless `needed` is kNone), compares the role, and takes one request from the rate
// limit. kUnauthenticated, kPermissionDenied, or kResourceExhausted with a RetryDelay(). A null
// authenticator lets everybody do everything.
absl::StatusOr<Principal> Admit(Authenticator* authenticator, const Credentials& credentials,
                                Role needed);

}  // namespace flarestack::net
