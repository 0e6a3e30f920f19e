// SPDX-License-Identifier: Apache-2.0
//
// Tenant names, from the header X-Scope-OrgID. A name becomes a directory name, so anything that
// could escape the directory is invalid.
#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace flarestack::net {

inline constexpr size_t kTenantNameBytesMax = 150;

// Accepts letters, digits and !-_.*'() , but not "." or "..".
absl::Status CheckTenantName(std::string_view name);

}  // namespace flarestack::net
