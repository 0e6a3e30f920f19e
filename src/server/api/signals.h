// SPDX-License-Identifier: Apache-2.0
//
// What the API has for traces, logs and metrics.
#pragma once

#include <vector>

#include "server/api/endpoint.h"

namespace flarestack::server::api {

std::vector<Endpoint> SignalEndpoints();

}  // namespace flarestack::server::api
