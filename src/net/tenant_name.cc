// SPDX-License-Identifier: Apache-2.0
#include "net/tenant_name.h"

#include <algorithm>

#include "base/text/text.h"

namespace flarestack::net {
namespace {

// Independent of the locale: only ASCII letters count.
bool IsGood(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("!-_.*'()").find(c) != std::string_view::npos;
}

}  // namespace

absl::Status CheckTenantName(std::string_view name) {
  if (name.empty() || name.size() > kTenantNameBytesMax || name == "." || name == ".." ||
      !std::all_of(name.begin(), name.end(), IsGood)) {
    // The message omits the name, which may be as long as the request head and contain anything.
    return absl::InvalidArgumentError(base::StrCat(
        "a tenant name must have 1 to ", kTenantNameBytesMax,
        " letters, digits and characters of !-_.*'(), and must not be \".\" or \"..\""));
  }
  return absl::OkStatus();
}

}  // namespace flarestack::net
