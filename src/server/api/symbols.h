// SPDX-License-Identifier: Apache-2.0
//
// Where names come from: what is missing and why, and the files that were pushed.
//
//   GET    /api/v1/symbols/health     modules without names, what they cost, and what helps
//   GET    /api/v1/symbols            files that were pushed
//   GET    /api/v1/symbols/{id}       what is known of one module, and what was tried
//   PUT    /api/v1/symbols/{id}       an executable or debug file, whole or in parts
//   DELETE /api/v1/symbols/{id}
#pragma once

#include <vector>

#include "server/api/endpoint.h"

namespace flarestack::server::api {

std::vector<Endpoint> SymbolEndpoints();

}  // namespace flarestack::server::api
