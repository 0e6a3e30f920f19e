// SPDX-License-Identifier: Apache-2.0
//
// Cost over time.
//
//   GET /api/v1/series?q={service.name="cart"}&by=service.version&step=1m&topk=5
//   GET /api/v1/heat?q={service.name="cart"}&cell=20ms&match=parse
#pragma once

#include <vector>

#include "server/api/endpoint.h"

namespace flarestack::server::api {

std::vector<Endpoint> SeriesEndpoints();

}  // namespace flarestack::server::api
