// SPDX-License-Identifier: Apache-2.0
//
// The text of source files, and where their repositories are: GET /api/v1/source.
#pragma once

#include <vector>

#include "server/api/endpoint.h"

namespace flarestack::server::api {

std::vector<Endpoint> SourceEndpoints();

}  // namespace flarestack::server::api
