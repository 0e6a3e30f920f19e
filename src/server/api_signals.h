// SPDX-License-Identifier: Apache-2.0
//
// Stored traces and logs as OTLP/JSON:
//
//   GET /api/v1/trace/5b8efff798038103d269b633813fc60c
//   GET /api/v1/logs?trace=ID&span=ID&q=SELECTOR&severity=17&from=now-1h&to=now&limit=100
#pragma once

#include <cstdint>

#include "net/http_message.h"
#include "store/store.h"

namespace flarestack::server {

net::HttpResponse GetTrace(store::Store* store, const net::HttpRequest& request);
net::HttpResponse GetLogs(store::Store* store, const net::HttpRequest& request, uint64_t now_nanos);

}  // namespace flarestack::server
