// SPDX-License-Identifier: Apache-2.0
//
// Stored traces and logs as OTLP/JSON:
//
//   GET /api/v1/trace/5b8efff798038103d269b633813fc60c
//   GET /api/v1/logs?trace=ID&span=ID&q=SELECTOR&severity=17&from=now-1h&to=now&limit=100
#pragma once

#include <vector>

#include "server/api/endpoint.h"

namespace flarestack::server::api {

std::vector<Endpoint> SignalEndpoints();

}  // namespace flarestack::server::api
