// SPDX-License-Identifier: Apache-2.0
//
// Error responses of the API:
// {"code":"invalid_argument","message":"...","hint":"...","request_id":"..."}.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "net/http/http_message.h"

namespace flarestack::server::api {

// Identifies a request in responses and logs. Returns the client's X-Request-Id if it is safe to
// repeat. Generates one and sets it on the request if not.
std::string RequestId(net::HttpRequest* request);

net::HttpResponse ErrorResponse(const absl::Status& status, net::HttpRequest* request);

// For errors that the HTTP server itself reports.
net::HttpResponse HttpErrorResponse(int status, std::string_view message,
                                    const net::HttpRequest& request);

}  // namespace flarestack::server::api
