// SPDX-License-Identifier: Apache-2.0
//
// Every hop from one object to the other signals:
//
//   GET /api/v1/links?trace=ID&span=ID            of a trace, a span, or a log record that names
//   them GET /api/v1/links?fn=NAME&q=SELECTOR          of a function GET
//   /api/v1/links?q=SELECTOR&from=&to=        of a time cell; with metric=NAME of its points
#pragma once

#include <vector>

#include "server/api/endpoint.h"

namespace flarestack::server::api {

std::vector<Endpoint> LinkEndpoints();

}  // namespace flarestack::server::api
