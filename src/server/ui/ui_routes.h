// SPDX-License-Identifier: Apache-2.0
//
// Serves the UI: index.html for every page, and its assets. Files below /assets/ have a content
// hash in their name, so browsers cache them forever; index.html is revalidated each time. It
// contains `<base href="/">`, which is replaced by X-Forwarded-Prefix behind a reverse proxy, so
// the UI works below any path.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "net/http/http_message.h"
#include "net/http/http_router.h"
#include "server/ui/ui_assets.h"

namespace flarestack::server {

// `assets` must outlive the routes. If it is empty, the pages explain how to build the UI.
std::vector<net::HttpRoute> UiRoutes(std::span<const UiAsset> assets);

// The page that a browser gets for an unknown address. Returns nullopt for other clients, and below
// the paths of the API, OTLP and debuginfod, whose clients expect their own error format. The
// caller sets the status.
std::optional<net::HttpResponse> NotFoundPage(std::span<const UiAsset> assets,
                                              const net::HttpRequest& request);

// The path prefix of a reverse proxy: "/flare" in X-Forwarded-Prefix. The server puts it before all
// its own URLs. Without a trailing slash. Empty if the proxy sends none, or if it is not a plain
// path, because the text goes into pages and headers.
std::string_view ForwardedPrefix(const net::HttpRequest& request);

}  // namespace flarestack::server
