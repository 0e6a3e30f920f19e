// SPDX-License-Identifier: Apache-2.0
//
// OTLP over HTTP: paths, encodings and status codes around a receiver.
#pragma once

#include <string_view>
#include <vector>

#include "net/http/http_message.h"
#include "net/http/http_router.h"
#include "net/rejection.h"
#include "server/ingest/otlp_intake.h"

namespace flarestack::server {

// /v1development/profiles, /v1/profiles, /v1/traces, /v1/metrics and /v1/logs. The intake must
// outlive the routes. Calls the hook for content types that OTLP does not define.
std::vector<net::HttpRoute> OtlpHttpRoutes(OtlpIntake* intake,
                                           net::RejectionHook on_rejected = nullptr);

// A google.rpc.Status in the encoding of the request, for errors that the HTTP server itself
// reports.
net::HttpResponse OtlpHttpError(int status, std::string_view message,
                                const net::HttpRequest& request);

}  // namespace flarestack::server
