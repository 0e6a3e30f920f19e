// SPDX-License-Identifier: Apache-2.0
//
// A response as server-sent events: progress while reading, then the answer.
//
//   event: progress
//   data: {"parts":240,"parts_done":12,"samples":1048576}
//
//   event: answer
//   data: {"type":"cpu", ... "meta":{...}}
//
// Thread-safe: several reader threads report progress.
#pragma once

#include <chrono>

#include "base/mutex.h"
#include "net/http/http_message.h"
#include "store/store.h"

namespace flarestack::server::api {

inline constexpr std::string_view kEventStreamType = "text/event-stream";

bool WantsEvents(const net::HttpRequest& request);

class EventStream {
 public:
  // If `peer` is null, sends no progress.
  explicit EventStream(net::HttpPeer* peer) : peer_(peer) {}

  // Sends a progress event, at most one per kMoment. Returns false if the client has disconnected.
  bool Report(const store::ReadProgress& progress);

  // Returns the answer or the error as the last event.
  net::HttpResponse Finish(net::HttpResponse response);

 private:
  static constexpr std::chrono::milliseconds kMoment{100};

  net::HttpPeer* const peer_;
  base::Mutex mutex_;
  bool is_begun_ FLARE_GUARDED_BY(mutex_) = false;
  std::chrono::steady_clock::time_point last_ FLARE_GUARDED_BY(mutex_);
};

}  // namespace flarestack::server::api
