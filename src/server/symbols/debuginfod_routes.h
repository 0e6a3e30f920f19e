// SPDX-License-Identifier: Apache-2.0
//
// The protocol of debuginfod over the files that were pushed, so that gdb, perf and other servers
// can have them from here:
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

// `find_symbols` says whose files a request is about; null where there are none.
using FindSymbols = std::function<absl::StatusOr<SymbolService*>(const net::HttpRequest&)>;
std::vector<net::HttpRoute> DebuginfodRoutes(FindSymbols find_symbols);

}  // namespace flarestack::server
