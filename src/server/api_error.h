// SPDX-License-Identifier: Apache-2.0
//
// How the API says no: {"code":"invalid_argument","message":"...","hint":"..."}.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "net/http_message.h"

namespace flarestack::server {

net::HttpResponse ApiError(const absl::Status& status, std::string_view hint = {});

// For errors that the HTTP server itself answers.
net::HttpResponse ApiHttpError(int status, std::string_view message,
                               const net::HttpRequest& request);

}  // namespace flarestack::server
