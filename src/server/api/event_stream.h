// SPDX-License-Identifier: Apache-2.0
//
// An answer as server-sent events: how far the reading is while it goes on, then the answer itself.
//
//   event: progress
//   data: {"parts":240,"parts_done":12,"samples":1048576}
//
//   event: answer
//   data: {"type":"cpu", ... "meta":{...}}
//
// Thread-safe: the threads that read report.
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
  // `peer` may be null: all events then come with the answer.
  explicit EventStream(net::HttpPeer* peer) : peer_(peer) {}

  // Sends an event, unless the last one is only a moment ago. False when nobody listens any more.
  bool Report(const store::ReadProgress& progress);

  // The answer, or the error, as the last event.
  net::HttpResponse Finish(net::HttpResponse answer);

 private:
  static constexpr std::chrono::milliseconds kMoment{100};

  net::HttpPeer* const peer_;
  base::Mutex mutex_;
  bool is_begun_ FLARE_GUARDED_BY(mutex_) = false;
  std::chrono::steady_clock::time_point last_ FLARE_GUARDED_BY(mutex_);
};

}  // namespace flarestack::server::api
