// SPDX-License-Identifier: Apache-2.0
//
// What was sent, one by one: samples in the order of time, and profiles as they came.
//
//   GET /api/v1/samples?q={service.name="cart"}&from=...&to=...&lane=thread
//   GET /api/v1/profiles?q={service.name="cart"}
#pragma once

#include <vector>

#include "server/api/endpoint.h"

namespace flarestack::server::api {

std::vector<Endpoint> SampleEndpoints();

}  // namespace flarestack::server::api
