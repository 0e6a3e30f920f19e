// SPDX-License-Identifier: Apache-2.0
#include "server/ingest/otlp_http.h"

#include <optional>

#include "base/status.h"
#include "model/signal.h"
#include "server/limits/limits.h"

namespace flarestack::server {
namespace {

using codec::otlp::Encoding;
using model::Signal;

constexpr std::string_view kProtobufType = "application/x-protobuf";
constexpr std::string_view kJsonType = "application/json";

// Returns nullopt for a type that OTLP does not define. Ignores parameters such as charset.
std::optional<Encoding> EncodingOf(const net::HttpRequest& request) {
  std::string_view type = request.headers.Get("Content-Type");
  type = type.substr(0, type.find(';'));
  while (type.ends_with(' '))
    type.remove_suffix(1);
  if (net::EqualsIgnoringCase(type, kProtobufType))
    return Encoding::kProtobuf;
  if (net::EqualsIgnoringCase(type, kJsonType))
    return Encoding::kJson;
  return std::nullopt;
}

net::HttpResponse Respond(int status, Encoding encoding, std::string body) {
  net::HttpResponse response = {.status = status, .headers = {}, .body = std::move(body)};
  response.headers.Set("Content-Type",
                       std::string(encoding == Encoding::kJson ? kJsonType : kProtobufType));
  return response;
}

int HttpStatusOf(const pipeline::OtlpResponse& outcome) {
  switch (outcome.status.code()) {
    case absl::StatusCode::kInvalidArgument:
      return 400;
    case absl::StatusCode::kUnauthenticated:
      return 401;
    case absl::StatusCode::kPermissionDenied:
      return 403;
    case absl::StatusCode::kResourceExhausted:
      return outcome.may_retry ? 429 : 413;
    default:
      return outcome.may_retry ? 503 : 500;
  }
}

absl::StatusCode CodeOf(int http_status) {
  switch (http_status) {
    case 401:
      return absl::StatusCode::kUnauthenticated;
    case 403:
      return absl::StatusCode::kPermissionDenied;
    case 404:
      return absl::StatusCode::kNotFound;
    case 408:
      return absl::StatusCode::kDeadlineExceeded;
    case 413:
    case 429:
      return absl::StatusCode::kResourceExhausted;
    case 503:
      return absl::StatusCode::kUnavailable;
    default:
      return http_status >= 500 ? absl::StatusCode::kInternal : absl::StatusCode::kInvalidArgument;
  }
}

net::HttpResponse Receive(OtlpIntake* intake, Signal signal, const net::RejectionHook& on_rejected,
                          net::HttpRequest& request) {
  const std::optional<Encoding> encoding = EncodingOf(request);
  if (!encoding.has_value()) {
    if (on_rejected != nullptr)
      on_rejected("415", net::RejectionReason::kEncoding);
    return OtlpHttpError(
        415, base::StrCat("Content-Type must be ", kProtobufType, " or ", kJsonType), request);
  }
  const pipeline::OtlpResponse outcome =
      intake->Receive({request.headers, request.principal}, {.signal = signal,
                                                             .encoding = *encoding,
                                                             .body = request.body,
                                                             .peer = request.remote_address,
                                                             .lease = &request.lease,
                                                             .begin_by = request.begin_by});
  if (outcome.status.ok()) {
    return Respond(200, *encoding,
                   EncodeExportResponse(signal, outcome.partial_success, *encoding));
  }
  codec::otlp::RpcStatus status = codec::otlp::RpcStatusOf(outcome.status);
  if (outcome.may_retry)
    status.retry_delay = kRetryDelay;
  net::HttpResponse response =
      Respond(HttpStatusOf(outcome), *encoding, EncodeRpcStatus(status, *encoding));
  if (outcome.may_retry)
    response.headers.Set("Retry-After", base::StrCat(kRetryDelay.count()));
  return response;
}

}  // namespace

std::vector<net::HttpRoute> OtlpHttpRoutes(OtlpIntake* intake, net::RejectionHook on_rejected) {
  std::vector<net::HttpRoute> routes;
  const auto add = [&](std::string_view path, Signal signal) {
    routes.push_back({.method = "POST",
                      .pattern = std::string(path),
                      .handler =
                          [intake, signal, on_rejected](net::HttpRequest& request) {
                            return Receive(intake, signal, on_rejected, request);
                          },
                      .needed = net::Role::kWrite,
                      .memory_need =
                          [intake, signal](const net::HttpRequest& request, uint64_t bytes) {
                            return intake->MemoryNeed(
                                signal, EncodingOf(request).value_or(Encoding::kJson), bytes);
                          }});
  };
  add("/v1development/profiles", Signal::kProfiles);
  add("/v1/profiles", Signal::kProfiles);
  add("/v1/traces", Signal::kTraces);
  add("/v1/metrics", Signal::kMetrics);
  add("/v1/logs", Signal::kLogs);
  return routes;
}

net::HttpResponse OtlpHttpError(int status, std::string_view message,
                                const net::HttpRequest& request) {
  // A client that sent neither encoding gets JSON, which people can read.
  const Encoding encoding = EncodingOf(request).value_or(Encoding::kJson);
  codec::otlp::RpcStatus body;
  body.code = static_cast<int32_t>(CodeOf(status));
  body.message = message;
  return Respond(status, encoding, EncodeRpcStatus(body, encoding));
}

}  // namespace flarestack::server
