// SPDX-License-Identifier: Apache-2.0
//
// Short links: a view of the UI under a short URL. They are notes of the store (store/store.h),
// keyed by a hash of their content, so the same view always gets the same link.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "server/api/endpoint.h"

namespace flarestack::server::api {

// Returns kInvalidArgument unless the URL certainly stays on this server: links must not be open
// redirects.
absl::Status CheckLinkTarget(std::string_view url);

}  // namespace flarestack::server::api
