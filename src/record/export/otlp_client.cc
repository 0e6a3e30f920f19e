// SPDX-License-Identifier: Apache-2.0
#include "record/export/otlp_client.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "base/compress/compress.h"
#include "base/status.h"
#include "model/signal.h"
#include "record/export/retry_delay.h"

namespace flarestack::record::exporting {
namespace {

using codec::otlp::Encoding;
using model::Signal;

constexpr char kProfilesMethod[] =
    "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export";
constexpr char kMetricsMethod[] = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export";

bool IsRetryable(int http_status) {
  return http_status == 429 || http_status == 502 || http_status == 503 || http_status == 504;
}

bool IsRetryable(absl::StatusCode code, bool has_delay) {
  switch (code) {
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDataLoss:
      return true;
    case absl::StatusCode::kResourceExhausted:
      return has_delay;
    default:
      return false;
  }
}

std::chrono::milliseconds ToMilliseconds(std::chrono::nanoseconds time) {
  return std::chrono::ceil<std::chrono::milliseconds>(time);
}

// gRPC metadata keys must be lowercase.
net::HttpHeaders InSmallLetters(const net::HttpHeaders& headers) {
  net::HttpHeaders small;
  for (const auto& [name, value] : headers) {
    std::string key = name;
    std::transform(key.begin(), key.end(), key.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    small.Add(std::move(key), value);
  }
  return small;
}

void SetBody(std::string_view message, OtlpCompression compression,
             net::HttpClientRequest* request) {
  switch (compression) {
    case OtlpCompression::kNone:
      request->body = message;
      return;
    case OtlpCompression::kGzip:
      request->headers.Set("Content-Encoding", "gzip");
      request->body = base::Gzip(message);
      return;
    case OtlpCompression::kZstd:
      request->headers.Set("Content-Encoding", "zstd");
      request->body = base::Zstd(message);
      return;
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<OtlpClient>> OtlpClient::Create(OtlpTarget target) {
  auto client = std::make_unique<OtlpClient>();
  if (target.protocol == OtlpProtocol::kGrpc) {
    if (target.compression == OtlpCompression::kZstd)
      return absl::InvalidArgumentError("gRPC does not support zstd; use gzip or none");
    net::GrpcClientOptions grpc;
    grpc.target = target.address;
    grpc.use_tls = target.use_tls;
    grpc.ca_pem = target.ca_pem;
    grpc.certificate_pem = target.certificate_pem;
    grpc.key_pem = target.key_pem;
    FLARE_ASSIGN(client->grpc_, net::GrpcClient::Create(std::move(grpc)));
  } else {
    net::HttpClientOptions http;
    http.ca_pem = target.ca_pem;
    http.certificate_pem = target.certificate_pem;
    http.key_pem = target.key_pem;
    client->http_ = std::make_unique<net::HttpClient>(std::move(http));
  }
  client->target_ = std::move(target);
  return client;
}

Encoding OtlpClient::encoding() const {
  return target_.protocol == OtlpProtocol::kHttpJson ? Encoding::kJson : Encoding::kProtobuf;
}

OtlpAttempt OtlpClient::Try(std::string_view message, std::chrono::milliseconds timeout_max) {
  // curl treats 0 as "no limit".
  const auto timeout =
      std::max(std::min(target_.timeout, timeout_max), std::chrono::milliseconds(1));
  return http_ != nullptr ? TryHttp(message, timeout) : TryGrpc(message, timeout);
}

OtlpAttempt OtlpClient::TryHttp(std::string_view message, std::chrono::milliseconds timeout) {
  net::HttpClientRequest request;
  request.method = "POST";
  request.url = target_.url;
  request.headers = target_.headers;
  request.headers.Set("Content-Type", encoding() == Encoding::kJson ? "application/json"
                                                                    : "application/x-protobuf");
  request.timeout = timeout;
  SetBody(message, target_.compression, &request);
  const auto response = http_->Send(request);
  if (!response.ok()) {
    return {.result = response.status(),
            .may_retry = absl::IsUnavailable(response.status()) ||
                         absl::IsDeadlineExceeded(response.status())};
  }
  if (response->status == 200) {
    return {.result =
                codec::otlp::DecodeExportResponse(target_.signal, response->body, encoding())};
  }
  const auto status = codec::otlp::DecodeRpcStatus(response->body, encoding());
  const std::string why =
      status.ok() && !status->message.empty() ? status->message : "no reason given";
  OtlpAttempt attempt = {.result = absl::FailedPreconditionError(
                             base::StrCat("the server responded ", response->status, ": ", why)),
                         .may_retry = IsRetryable(response->status)};
  attempt.delay =
      ParseRetryAfter(response->headers.Get("Retry-After"), std::chrono::system_clock::now());
  if (status.ok() && status->retry_delay.has_value())
    attempt.delay = std::max(attempt.delay.value_or(std::chrono::milliseconds(0)),
                             ToMilliseconds(*status->retry_delay));
  return attempt;
}

OtlpAttempt OtlpClient::TryGrpc(std::string_view message, std::chrono::milliseconds timeout) {
  net::GrpcCallOptions call;
  call.metadata = InSmallLetters(target_.headers);
  call.timeout = timeout;
  call.gzip = target_.compression == OtlpCompression::kGzip;
  const net::GrpcResult result = grpc_->Call(
      target_.signal == Signal::kMetrics ? kMetricsMethod : kProfilesMethod, message, call);
  if (result.code == absl::StatusCode::kOk) {
    return {.result = codec::otlp::DecodeExportResponse(target_.signal, result.message,
                                                        Encoding::kProtobuf)};
  }
  const auto details = codec::otlp::DecodeRpcStatus(result.error_details, Encoding::kProtobuf);
  OtlpAttempt attempt = {.result = absl::Status(result.code, result.error_message)};
  if (details.ok() && details->retry_delay.has_value())
    attempt.delay = ToMilliseconds(*details->retry_delay);
  attempt.may_retry = IsRetryable(result.code, attempt.delay.has_value());
  return attempt;
}

}  // namespace flarestack::record::exporting
