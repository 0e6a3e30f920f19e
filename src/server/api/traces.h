// SPDX-License-Identifier: Apache-2.0
//
// GET /api/v1/traces?service=cart&name=/^GET/&min_duration=20ms&status=error&attr=http.route=/buy
//
// Traces of which one span holds all conditions.
#pragma once

#include "server/api/endpoint.h"

namespace flarestack::server::api {

Endpoint TracesEndpoint();

}  // namespace flarestack::server::api
