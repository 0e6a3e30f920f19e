// SPDX-License-Identifier: Apache-2.0
//
// The path prefix of a reverse proxy: "/flare" in X-Forwarded-Prefix. The server puts it before all
// its own URLs.
#pragma once

#include <string_view>

#include "net/http/http_message.h"

namespace flarestack::server {

// Without a trailing slash. Empty if the proxy sends none, or if it is not a plain path, because
// the text goes into pages and headers.
std::string_view ForwardedPrefix(const net::HttpRequest& request);

}  // namespace flarestack::server
