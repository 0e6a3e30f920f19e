// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/demo_feed.h"

#include <utility>

#include "base/status.h"
#include "model/signal.h"

namespace flarestack::cli {
namespace {

using model::Signal;

constexpr std::chrono::seconds kTimeout{60};

std::string_view PathOf(Signal signal) {
  switch (signal) {
    case Signal::kTraces:
      return "/v1/traces";
    case Signal::kMetrics:
      return "/v1/metrics";
    case Signal::kLogs:
      return "/v1/logs";
    case Signal::kProfiles:
      break;
  }
  return "/v1development/profiles";
}

}  // namespace

DemoFeed::DemoFeed(std::string endpoint) : endpoint_(std::move(endpoint)), client_({}) {}

absl::Status DemoFeed::Send(const demo::Timeline& timeline, const demo::Window& window) {
  for (const demo::Message& message : demo::MessagesOf(timeline, window))
    FLARE_RETURN_IF_ERROR(Send(message));
  return absl::OkStatus();
}

absl::Status DemoFeed::Send(const demo::Message& message) {
  const std::string_view path = PathOf(message.signal);
  net::HttpClientRequest request;
  request.method = "POST";
  request.url = base::StrCat(endpoint_, path);
  request.headers.Set("Content-Type", "application/x-protobuf");
  request.body = message.bytes;
  request.timeout = kTimeout;
  const auto response = client_.Send(request);
  if (!response.ok())
    return base::WithContext(path, response.status());
  if (response->status != 200)
    return absl::UnknownError(base::StrCat(path, " failed with status ", response->status));
  const auto partial = codec::otlp::DecodeExportResponse(message.signal, response->body,
                                                         codec::otlp::Encoding::kProtobuf);
  if (!partial.ok())
    return base::WithContext(path, partial.status());
  if (!partial->error_message.empty())
    return absl::UnknownError(base::StrCat(path, ": ", partial->error_message));
  return absl::OkStatus();
}

}  // namespace flarestack::cli
