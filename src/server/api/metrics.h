// SPDX-License-Identifier: Apache-2.0
//
// GET /api/v1/metrics?q=SELECTOR
// GET /api/v1/metrics/query?name=http.server.requests&by=service.name&rate=1&step=30s
//
// Which metrics there are, and their points as lines of a chart.
#pragma once

#include <vector>

#include "server/api/endpoint.h"

namespace flarestack::server::api {

std::vector<Endpoint> MetricEndpoints();

}  // namespace flarestack::server::api
