// SPDX-License-Identifier: Apache-2.0
#include "cli/otlp_sender.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <ctime>
#include <random>
#include <thread>

#include "base/compress.h"
#include "base/status.h"

namespace flarestack::cli {
namespace {

using codec::otlp::Encoding;
using codec::otlp::Signal;

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

std::chrono::milliseconds ToMilliseconds(std::chrono::nanoseconds time) {
  return std::chrono::ceil<std::chrono::milliseconds>(time);
}

// gRPC has metadata in small letters alone.
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

}  // namespace

std::optional<std::chrono::milliseconds> ParseRetryAfter(
    std::string_view header, std::chrono::system_clock::time_point now) {
  uint32_t seconds = 0;
  const auto [end, error] = std::from_chars(header.data(), header.data() + header.size(), seconds);
  if (error == std::errc() && end == header.data() + header.size())
    return std::chrono::seconds(seconds);
  std::tm date = {};
  const std::string text(header);
  const char* const rest = strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date);
  if (rest == nullptr || *rest != '\0')
    return std::nullopt;
  const auto at = std::chrono::system_clock::from_time_t(timegm(&date));
  return std::max(std::chrono::milliseconds(0),
                  std::chrono::ceil<std::chrono::milliseconds>(at - now));
}

absl::StatusOr<std::unique_ptr<OtlpSender>> OtlpSender::Create(OtlpSenderOptions options) {
  auto sender = std::make_unique<OtlpSender>();
  if (options.target.protocol == OtlpProtocol::kGrpc) {
    net::GrpcClientOptions grpc;
    grpc.target = options.target.address;
    grpc.use_tls = options.target.use_tls;
    grpc.ca_pem = options.ca_pem;
    FLARE_ASSIGN(sender->grpc_, net::GrpcClient::Create(std::move(grpc)));
  } else {
    net::HttpClientOptions http;
    http.ca_pem = options.ca_pem;
    sender->http_ = std::make_unique<net::HttpClient>(std::move(http));
  }
  if (options.wait == nullptr)
    options.wait = [](std::chrono::milliseconds delay) { std::this_thread::sleep_for(delay); };
  sender->options_ = std::move(options);
  return sender;
}

Encoding OtlpSender::encoding() const {
  return options_.target.protocol == OtlpProtocol::kHttpJson ? Encoding::kJson
                                                             : Encoding::kProtobuf;
}

absl::StatusOr<codec::otlp::PartialSuccess> OtlpSender::Send(std::string_view profiles) {
  for (int attempt = 1;; ++attempt) {
    Attempt tried = http_ != nullptr ? TryHttp(profiles) : TryGrpc(profiles);
    if (!tried.may_retry || attempt >= options_.attempts_max)
      return std::move(tried.result);
    const std::string why(base::Message(tried.result.status()));
    const auto asked = tried.delay.value_or(std::chrono::milliseconds(0));
    if (asked > options_.delay_max) {
      return absl::UnavailableError(
          base::StrCat(why, "; it asks for a pause of ", asked.count() / 1000, " s"));
    }
    // Never before the server said, and with jitter on top of it.
    const std::chrono::milliseconds delay = asked + BackOff(attempt - 1);
    ++retries_;
    if (options_.on_retry != nullptr)
      options_.on_retry({.attempt = attempt + 1,
                         .attempts_max = options_.attempts_max,
                         .delay = delay,
                         .why = why});
    options_.wait(delay);
  }
}

OtlpSender::Attempt OtlpSender::TryHttp(std::string_view profiles) {
  net::HttpClientRequest request;
  request.method = "POST";
  request.url = options_.target.url;
  request.headers = options_.target.headers;
  request.headers.Set("Content-Type", encoding() == Encoding::kJson ? "application/json"
                                                                    : "application/x-protobuf");
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
    return {.result =
                codec::otlp::DecodeExportResponse(Signal::kProfiles, response->body, encoding())};
  }
  const auto status = codec::otlp::DecodeRpcStatus(response->body, encoding());
  const std::string why =
      status.ok() && !status->message.empty() ? status->message : "no reason given";
  Attempt attempt = {.result = absl::FailedPreconditionError(
                         base::StrCat("the server answered ", response->status, ": ", why)),
                     .may_retry = IsRetryable(response->status)};
  attempt.delay =
      ParseRetryAfter(response->headers.Get("Retry-After"), std::chrono::system_clock::now());
  if (status.ok() && status->retry_delay.has_value())
    attempt.delay = std::max(attempt.delay.value_or(std::chrono::milliseconds(0)),
                             ToMilliseconds(*status->retry_delay));
  return attempt;
}

OtlpSender::Attempt OtlpSender::TryGrpc(std::string_view profiles) {
  net::GrpcCallOptions call;
  call.metadata = InSmallLetters(options_.target.headers);
  call.timeout = kTimeout;
  call.gzip = options_.gzip;
  const net::GrpcResult result = grpc_->Call(std::string(kGrpcMethod), profiles, call);
  if (result.code == absl::StatusCode::kOk) {
    return {.result = codec::otlp::DecodeExportResponse(Signal::kProfiles, result.message,
                                                        Encoding::kProtobuf)};
  }
  const auto details = codec::otlp::DecodeRpcStatus(result.error_details, Encoding::kProtobuf);
  Attempt attempt = {.result = absl::Status(result.code, result.error_message)};
  if (details.ok() && details->retry_delay.has_value())
    attempt.delay = ToMilliseconds(*details->retry_delay);
  attempt.may_retry = IsRetryable(result.code, attempt.delay.has_value());
  return attempt;
}

}  // namespace flarestack::cli
