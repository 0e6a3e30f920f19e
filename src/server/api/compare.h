// SPDX-License-Identifier: Apache-2.0
//
// GET /api/v1/diff?q={service.version="1.4.2"}&b.q={service.version="1.4.1"}&norm=share
//
// The parameters without prefix are the side that is looked at, those with `b.` its baseline.
#pragma once

#include <vector>

#include "server/api/endpoint.h"

namespace flarestack::server::api {

std::vector<Endpoint> CompareEndpoints();

}  // namespace flarestack::server::api
