// SPDX-License-Identifier: Apache-2.0
#include "net/principal.h"

#include <array>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "base/status.h"
#include "base/text/text.h"

namespace flarestack::net {
namespace {

constexpr char kKnownNameUrl[] = "flarestack/known_name";

constexpr std::array<std::pair<Role, std::string_view>, 3> kRoleNames = {
    {{Role::kRead, "read"}, {Role::kWrite, "write"}, {Role::kAdmin, "admin"}}};

std::string_view NameOf(Role role) {
  for (const auto& [known, name] : kRoleNames) {
    if (known == role)
      return name;
  }
  return "none";
}

absl::Status CheckAdmitted(const Principal& principal, Role needed) {
  if (!principal.roles.Has(needed)) {
    return absl::PermissionDeniedError(base::StrCat("'", principal.name, "' has the roles ",
                                                    ToString(principal.roles), ", but ",
                                                    NameOf(needed), " is needed"));
  }
  return principal.rate_limit != nullptr ? principal.rate_limit->TakeRequest() : absl::OkStatus();
}

}  // namespace

std::string ToString(RoleSet roles) {
  if (roles.Has(Role::kAdmin))
    return "admin";
  std::string text;
  for (const auto& [role, name] : kRoleNames) {
    if (roles.Has(role))
      base::StrAppend(&text, text.empty() ? "" : ",", name);
  }
  return text;
}

absl::StatusOr<RoleSet> ParseRoles(std::string_view text) {
  RoleSet roles;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    bool is_known = false;
    for (const auto& [role, name] : kRoleNames) {
      if (name == word) {
        roles.Add(role);
        is_known = true;
      }
    }
    if (!is_known)
      return absl::InvalidArgumentError(
          base::StrCat("role '", word, "' is not one of read, write, admin"));
  }
  if (roles.empty())
    return absl::InvalidArgumentError("no role given: expected some of read, write, admin");
  return roles;
}

absl::Status WithKnownName(absl::Status status, std::string_view name) {
  status.SetPayload(kKnownNameUrl, absl::Cord(std::string(name)));
  return status;
}

absl::StatusOr<Principal> Admit(Authenticator* authenticator, const Credentials& credentials,
                                Role needed) {
  if (authenticator == nullptr || needed == Role::kNone)
    return Principal{};
  auto principal = authenticator->Authenticate(credentials);
  if (!principal.ok()) {
    const auto name = principal.status().GetPayload(kKnownNameUrl);
    authenticator->OnRejected(name.has_value() ? std::string(*name) : "", principal.status());
    return principal;
  }
  if (absl::Status status = CheckAdmitted(*principal, needed); !status.ok()) {
    authenticator->OnRejected(principal->name, status);
    return status;
  }
  return principal;
}

}  // namespace flarestack::net
