// SPDX-License-Identifier: Apache-2.0
//
// Generates an OpenAPI 3.1 document from the endpoint table.
#pragma once

#include <span>

#include "server/api/endpoint.h"

namespace flarestack::server::api {

// Only one file of a library may include base/version.h.
std::string_view ProgramVersion();

Json OpenApiDocument(std::span<const Endpoint> endpoints);

}  // namespace flarestack::server::api
