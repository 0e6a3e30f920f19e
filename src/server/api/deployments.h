// SPDX-License-Identifier: Apache-2.0
//
// Versions of a service, and what the last one made more expensive:
//
//   GET /api/v1/deployments?q={service.name="cart"}&from=now-7d
//   GET /api/v1/regressions?q={service.name="cart"}&from=now-7d
#pragma once

#include <vector>

#include "server/api/endpoint.h"

namespace flarestack::server::api {

std::vector<Endpoint> DeploymentEndpoints();

}  // namespace flarestack::server::api
