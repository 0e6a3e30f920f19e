// SPDX-License-Identifier: Apache-2.0
//
// What can be asked about: services, attributes, their values, and cost by them.
//
//   GET /api/v1/services   /attrs   /attr-values?key=host.name   /attr-breakdown?key=thread.name
#pragma once

#include <vector>

#include "server/api/endpoint.h"

namespace flarestack::server::api {

std::vector<Endpoint> AttributeEndpoints();

}  // namespace flarestack::server::api
