// SPDX-License-Identifier: Apache-2.0
//
// Serves pushed files over the debuginfod protocol, to gdb, perf and other servers:
//
//   GET /buildid/{id}/debuginfo
//   GET /buildid/{id}/executable
//   GET /buildid/{id}/section/{name}
#pragma once

#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "net/http/http_message.h"
#include "net/http/http_router.h"
#include "server/symbols/symbol_service.h"

namespace flarestack::server {

// `find_symbols` returns the symbol service of the request's tenant, or null.
using FindSymbols = std::function<absl::StatusOr<SymbolService*>(const net::HttpRequest&)>;
std::vector<net::HttpRoute> DebuginfodRoutes(FindSymbols find_symbols);

}  // namespace flarestack::server
