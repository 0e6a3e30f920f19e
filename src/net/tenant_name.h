// SPDX-License-Identifier: Apache-2.0
//
// Names of tenants, as the header X-Scope-OrgID brings them. A name becomes that of a directory, so
// what could lead elsewhere is none.
#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace flarestack::net {

inline constexpr size_t kTenantNameBytesMax = 150;

// Letters, digits and !-_.*'() , and neither "." nor "..".
absl::Status CheckTenantName(std::string_view name);

}  // namespace flarestack::net
