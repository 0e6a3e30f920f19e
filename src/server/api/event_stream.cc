// SPDX-License-Identifier: Apache-2.0
#include "server/api/event_stream.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "server/api/endpoint.h"

namespace flarestack::server::api {
namespace {

// SSE data must be a single line. The JSON written here has newlines only at its end.
std::string Event(std::string_view name, std::string data) {
  std::erase(data, '\n');
  return base::StrCat("event: ", name, "\ndata: ", data, "\n\n");
}

net::HttpHeaders EventHeaders() {
  // A proxy that buffers the response would delay all progress events until the end.
  return {{"Content-Type", std::string(kEventStreamType)},
          {"Cache-Control", "no-store"},
          {"X-Accel-Buffering", "no"}};
}

}  // namespace

bool WantsEvents(const net::HttpRequest& request) {
  return request.method == "GET" &&
         request.headers.Get("Accept").find(kEventStreamType) != std::string_view::npos;
}

bool EventStream::Report(const store::ReadProgress& progress) {
  if (peer_ == nullptr)
    return true;
  const base::MutexLock lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (is_begun_ && now - last_ < kMoment)
    return !peer_->IsGone();
  last_ = now;
  const Json data = {
      {"parts", progress.parts}, {"parts_done", progress.parts_done}, {"samples", progress.rows}};
  const std::string event = Event("progress", data.dump());
  if (std::exchange(is_begun_, true))
    return peer_->SendPart(event);
  return peer_->BeginResponse({.headers = EventHeaders(), .body = event});
}

net::HttpResponse EventStream::Finish(net::HttpResponse response) {
  const bool is_error = response.status >= 400;
  net::HttpResponse last;
  last.headers = EventHeaders();
  const base::MutexLock lock(mutex_);
  if (!is_begun_)
    last.status = response.status;
  last.body = Event(is_error ? "error" : "answer", std::move(response.body));
  return last;
}

}  // namespace flarestack::server::api
