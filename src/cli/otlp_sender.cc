// SPDX-License-Identifier: Apache-2.0
#include "cli/otlp_sender.h"

#include <algorithm>
#include <random>
#include <thread>

#include "base/compress.h"
#include "base/status.h"

namespace flarestack::cli {
namespace {

using codec::otlp::Encoding;
using codec::otlp::Signal;

constexpr std::string_view kHttpPath = "v1development/profiles";
constexpr std::string_view kGrpcMethod =
    "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export";
constexpr std::chrono::seconds kTimeout{30};

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

// From 100 ms on, doubled each time, with jitter so that senders do not come back all at once.
std::chrono::milliseconds BackOff(int attempt) {
  thread_local std::minstd_rand random(std::random_device{}());
  const int64_t base = int64_t{100} << std::min(attempt, 6);
  return std::chrono::milliseconds(base / 2 + static_cast<int64_t>(random()) % base);
}

}  // namespace

absl::StatusOr<std::unique_ptr<OtlpSender>> OtlpSender::Create(OtlpSenderOptions options) {
  auto sender = std::make_unique<OtlpSender>();
  const std::string& endpoint = options.endpoint;
  const size_t scheme_end = endpoint.find("://");
  const std::string scheme = scheme_end == std::string::npos ? "" : endpoint.substr(0, scheme_end);
  if (scheme == "grpc" || scheme == "grpcs") {
    net::GrpcClientOptions grpc;
    grpc.target = endpoint.substr(scheme_end + 3);
    grpc.use_tls = scheme == "grpcs";
    grpc.ca_pem = options.ca_pem;
    FLARE_ASSIGN(sender->grpc_, net::GrpcClient::Create(std::move(grpc)));
  } else if (scheme == "http" || scheme == "https") {
    net::HttpClientOptions http;
    http.ca_pem = options.ca_pem;
    sender->http_ = std::make_unique<net::HttpClient>(std::move(http));
    // A path of its own is taken as it is; a bare endpoint gets the path of the signal.
    const size_t path = endpoint.find('/', scheme_end + 3);
    const bool has_path = path != std::string::npos && path + 1 < endpoint.size();
    sender->url_ =
        has_path ? endpoint : base::StrCat(endpoint, endpoint.ends_with('/') ? "" : "/", kHttpPath);
  } else {
    return absl::InvalidArgumentError(
        base::StrCat("\"", endpoint,
                     "\" is no endpoint: it begins with http://, https://, "
                     "grpc:// or grpcs://"));
  }
  sender->options_ = std::move(options);
  return sender;
}

absl::StatusOr<codec::otlp::PartialSuccess> OtlpSender::Send(std::string_view profiles) {
  for (int attempt = 0;; ++attempt) {
    Attempt tried = http_ != nullptr ? TryHttp(profiles) : TryGrpc(profiles);
    if (!tried.may_retry || attempt + 1 >= options_.attempts_max)
      return std::move(tried.result);
    ++retries_;
    std::this_thread::sleep_for(BackOff(attempt));
  }
}

OtlpSender::Attempt OtlpSender::TryHttp(std::string_view profiles) {
  net::HttpClientRequest request;
  request.method = "POST";
  request.url = url_;
  request.headers = options_.headers;
  request.headers.Set("Content-Type", "application/x-protobuf");
  request.timeout = kTimeout;
  if (options_.gzip) {
    request.headers.Set("Content-Encoding", "gzip");
    request.body = base::Gzip(profiles);
  } else {
    request.body = profiles;
  }
  const auto response = http_->Send(request);
  if (!response.ok())
    return {.result = response.status(), .may_retry = absl::IsUnavailable(response.status())};
  if (response->status == 200) {
    return {.result = codec::otlp::DecodeExportResponse(Signal::kProfiles, response->body,
                                                        Encoding::kProtobuf)};
  }
  const auto status = codec::otlp::DecodeRpcStatus(response->body, Encoding::kProtobuf);
  const std::string why =
      status.ok() && !status->message.empty() ? status->message : "no reason given";
  return {.result = absl::FailedPreconditionError(
              base::StrCat("the server answered ", response->status, ": ", why)),
          .may_retry = IsRetryable(response->status)};
}

OtlpSender::Attempt OtlpSender::TryGrpc(std::string_view profiles) {
  net::GrpcCallOptions call;
  call.metadata = options_.headers;
  call.timeout = kTimeout;
  call.gzip = options_.gzip;
  const net::GrpcResult result = grpc_->Call(std::string(kGrpcMethod), profiles, call);
  if (result.code == absl::StatusCode::kOk) {
    return {.result = codec::otlp::DecodeExportResponse(Signal::kProfiles, result.message,
                                                        Encoding::kProtobuf)};
  }
  const auto details = codec::otlp::DecodeRpcStatus(result.error_details, Encoding::kProtobuf);
  const bool has_delay = details.ok() && details->retry_delay.has_value();
  return {.result = absl::Status(result.code, result.error_message),
          .may_retry = IsRetryable(result.code, has_delay)};
}

}  // namespace flarestack::cli
