// SPDX-License-Identifier: Apache-2.0
#include "server/api/error.h"

#include <algorithm>
#include <random>

#include "base/status.h"
#include "base/text/encoding.h"
#include "server/api/endpoint.h"
#include "server/limits/limits.h"

namespace flarestack::server::api {
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
    case absl::StatusCode::kCancelled:
      return {499, "cancelled"};  // nginx's code; the client is gone and never reads it
    case absl::StatusCode::kDeadlineExceeded:
      return {504, "deadline_exceeded"};
    case absl::StatusCode::kUnavailable:
      return {503, "unavailable"};
    default:
      return {500, "internal"};
  }
}

constexpr size_t kRequestIdBytesMax = 64;

bool IsFitToRepeat(std::string_view id) {
  return !id.empty() && id.size() <= kRequestIdBytesMax && std::ranges::all_of(id, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == '.';
  });
}

struct Rejection {
  int status = 500;
  std::string_view code;
  std::string_view message;
  std::string_view hint;
};

net::HttpResponse Respond(const Rejection& rejection, net::HttpRequest* request) {
  const std::string id = RequestId(request);
  net::HttpResponse response = {.status = rejection.status, .headers = {}, .body = "{\"code\":"};
  response.headers.Set("Content-Type", "application/json");
  response.headers.Set("X-Request-Id", id);
  if (rejection.status == 429 || rejection.status == 503)
    response.headers.Set("Retry-After", base::StrCat(kRetryDelay.count()));
  base::AppendJsonString(rejection.code, &response.body);
  response.body += ",\"message\":";
  base::AppendJsonString(rejection.message, &response.body);
  response.body += ",\"hint\":";
  base::AppendJsonString(rejection.hint, &response.body);
  response.body += ",\"request_id\":";
  base::AppendJsonString(id, &response.body);
  response.body += "}\n";
  return response;
}

}  // namespace

std::string RequestId(net::HttpRequest* request) {
  const std::string_view given = request->headers.Get("X-Request-Id");
  if (IsFitToRepeat(given))
    return std::string(given);
  thread_local std::mt19937_64 random(std::random_device{}());
  const uint64_t number = random();
  std::string id = base::HexEncode({reinterpret_cast<const char*>(&number), sizeof(number)});
  request->headers.Set("X-Request-Id", id);
  return id;
}

net::HttpResponse ErrorResponse(const absl::Status& status, net::HttpRequest* request) {
  const Kind kind = KindOf(status.code());
  return Respond({kind.http_status, kind.code, base::Message(status), HintOf(status)}, request);
}

net::HttpResponse HttpErrorResponse(int status, std::string_view message,
                                    const net::HttpRequest& request) {
  net::HttpRequest named;
  named.headers.Set("X-Request-Id", std::string(request.headers.Get("X-Request-Id")));
  return Respond({status, status == 404 ? "not_found" : "http_error", message, ""}, &named);
}

}  // namespace flarestack::server::api
