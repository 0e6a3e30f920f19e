// SPDX-License-Identifier: Apache-2.0
//
// How the API says no: {"code":"invalid_argument","message":"...","hint":"...","request_id":"..."}.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "net/http/http_message.h"

namespace flarestack::server::api {

// The name of a request in answers and logs: the client's own X-Request-Id where it is fit to be
// repeated, else a new one, which the request then has.
std::string RequestId(net::HttpRequest* request);

net::HttpResponse ErrorResponse(const absl::Status& status, net::HttpRequest* request);

// For errors that the HTTP server itself answers.
net::HttpResponse HttpErrorResponse(int status, std::string_view message,
                                    const net::HttpRequest& request);

}  // namespace flarestack::server::api
