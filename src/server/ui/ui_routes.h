// SPDX-License-Identifier: Apache-2.0
//
// The pages of the server: index.html at the address of every page, and the files that it names.
//
// Files below /assets/ have the hash of their content in their name and are kept by browsers for
// ever; index.html is asked for each time. It holds `<base href="/">`, and behind a reverse proxy
// that says X-Forwarded-Prefix the prefix stands there instead, so that all works below any path.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "net/http/http_router.h"
#include "server/ui/ui_assets.h"

namespace flarestack::server {

// `assets` must outlive the routes. Without any, pages say how to build them.
std::vector<net::HttpRoute> UiRoutes(std::span<const UiAsset> assets);

// For a browser that asks for an address at which nothing is: the page that says so. Nothing for
// programs, and below the paths of the API, OTLP and debuginfod, whose clients read their own kind
// of error. The caller sets the status.
std::optional<net::HttpResponse> NotFoundPage(std::span<const UiAsset> assets,
                                              const net::HttpRequest& request);

}  // namespace flarestack::server
