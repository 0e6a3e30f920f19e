// SPDX-License-Identifier: Apache-2.0
//
// The path below which a reverse proxy shows this server: "/flare" of X-Forwarded-Prefix. Whatever
// the server says of its own addresses begins with it.
#pragma once

#include <string_view>

#include "net/http/http_message.h"

namespace flarestack::server {

// Without a slash at its end. Empty where no proxy says one, and for what is no plain path, since
// the text goes into pages and headers.
std::string_view ForwardedPrefix(const net::HttpRequest& request);

}  // namespace flarestack::server
