// SPDX-License-Identifier: Apache-2.0
#include "server/api_error.h"

#include "base/encoding.h"
#include "base/status.h"
#include "server/retry_delay.h"

namespace flarestack::server {
namespace {

struct Kind {
  int http_status;
  std::string_view code;
};

Kind KindOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kInvalidArgument:
      return {400, "invalid_argument"};
    case absl::StatusCode::kUnauthenticated:
      return {401, "unauthenticated"};
    case absl::StatusCode::kPermissionDenied:
      return {403, "permission_denied"};
    case absl::StatusCode::kNotFound:
      return {404, "not_found"};
    case absl::StatusCode::kResourceExhausted:
      return {429, "resource_exhausted"};
    case absl::StatusCode::kUnavailable:
      return {503, "unavailable"};
    default:
      return {500, "internal"};
  }
}

net::HttpResponse Respond(int status, std::string_view code, std::string_view message,
                          std::string_view hint) {
  net::HttpResponse response = {.status = status, .headers = {}, .body = "{\"code\":"};
  response.headers.Set("Content-Type", "application/json");
  base::AppendJsonString(code, &response.body);
  response.body += ",\"message\":";
  base::AppendJsonString(message, &response.body);
  response.body += ",\"hint\":";
  base::AppendJsonString(hint, &response.body);
  response.body += "}\n";
  return response;
}

}  // namespace

net::HttpResponse ApiError(const absl::Status& status, std::string_view hint) {
  const Kind kind = KindOf(status.code());
  net::HttpResponse response = Respond(kind.http_status, kind.code, base::Message(status), hint);
  if (absl::IsUnavailable(status))
    response.headers.Set("Retry-After", base::StrCat(kRetryDelay.count()));
  return response;
}

net::HttpResponse ApiHttpError(int status, std::string_view message,
                               const net::HttpRequest& /*request*/) {
  return Respond(status, status == 404 ? "not_found" : "http_error", message, "");
}

}  // namespace flarestack::server
