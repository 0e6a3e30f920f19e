// SPDX-License-Identifier: Apache-2.0
//
// GET /api/v1/export?format=folded&q={service.name="cart"}&type=cpu&from=now-1h&to=now
//
// Merges the stored profiles of a range and gives them back in any format that can be written.
#pragma once

#include <vector>

#include "server/api/endpoint.h"

namespace flarestack::server::api {

std::vector<Endpoint> ExportEndpoints();

}  // namespace flarestack::server::api
