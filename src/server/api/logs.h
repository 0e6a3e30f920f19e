// SPDX-License-Identifier: Apache-2.0
//
// GET /api/v1/logs?q=SELECTOR&severity=error&text=disk&trace=ID&span=ID&order=asc&cursor=NEXT
// GET /api/v1/logs/volume?q=SELECTOR&severity=error&text=disk
//
// Log records, page by page, and how many there are over time.
#pragma once

#include "server/api/endpoint.h"

namespace flarestack::server::api {

Endpoint LogsEndpoint();
Endpoint LogVolumeEndpoint();

}  // namespace flarestack::server::api
