// SPDX-License-Identifier: Apache-2.0
//
// Short links: a view of the page under a name that fits into a message. They are notes of the
// store (store/store.h), named by their content, so that the same view has one link.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "server/api/endpoint.h"

namespace flarestack::server::api {

// kInvalidArgument for what does not certainly stay on this server: a link must not lead anybody
// elsewhere.
absl::Status CheckLinkTarget(std::string_view url);

}  // namespace flarestack::server::api
