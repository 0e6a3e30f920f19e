// SPDX-License-Identifier: Apache-2.0
//
// The table of the API as an OpenAPI 3.1 document.
#pragma once

#include <span>

#include "server/api/endpoint.h"

namespace flarestack::server::api {

// Here, because one file of a library may know it.
std::string_view ProgramVersion();

Json OpenApiDocument(std::span<const Endpoint> endpoints);

}  // namespace flarestack::server::api
