// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "server/api/endpoint.h"

namespace flarestack::server::api {

// All endpoints, in the order in which documents list them.
std::vector<Endpoint> Endpoints();

}  // namespace flarestack::server::api
