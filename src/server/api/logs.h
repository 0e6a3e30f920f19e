// SPDX-License-Identifier: Apache-2.0
//
// GET /api/v1/logs?q=SELECTOR&severity=error&text=disk&trace=ID&span=ID&order=asc&cursor=NEXT
//
// Log records, page by page.
#pragma once

#include "server/api/endpoint.h"

namespace flarestack::server::api {

Endpoint LogsEndpoint();

}  // namespace flarestack::server::api
