// SPDX-License-Identifier: Apache-2.0
//
// GET /api/v1/trace/5b8efff798038103d269b633813fc60c
//
// A trace for a waterfall: spans as columns in the order of the tree, the critical path, and how
// many log records and profile samples each span has. With format=otlp the spans as they were sent.
#pragma once

#include "server/api/endpoint.h"

namespace flarestack::server::api {

Endpoint TraceEndpoint();

}  // namespace flarestack::server::api
