// SPDX-License-Identifier: Apache-2.0
//
// What the connections of one server share, and all decisions about a request that need no socket.
// Internal to the HTTP server. Thread-safe.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "net/http/http_message.h"
#include "net/http/http_router.h"
#include "net/http/http_server.h"
#include "net/worker_pool.h"

namespace flarestack::net {

// How the server reaches a connection when it stops. Both may be called from any thread.
class HttpConnectionHandle {
 public:
  virtual ~HttpConnectionHandle() = default;
  virtual void CloseIfIdle() = 0;
  virtual void Abort() = 0;
};

class HttpCore {
 public:
  explicit HttpCore(HttpServerOptions options);

  const HttpLimits& limits() const { return options_.limits; }
  const HttpServerOptions& options() const { return options_; }
  // Where requests of this route run.
  WorkerPool& pool(const HttpRoute& route) { return route.is_probe ? probe_pool_ : pool_; }

  // Fills path, query and path parameters in and finds the route. An answer means: do not go on.
  // `declared_bytes` is the Content-Length, if there is one.
  std::optional<HttpResponse> CheckHead(HttpRequest& request,
                                        std::optional<uint64_t> declared_bytes,
                                        const HttpRoute** route);

  bool NeedsAdmission(const HttpRoute& route) const;
  // May take a while (a password is hashed): on a worker thread.
  std::optional<HttpResponse> Admit(HttpRequest& request, const HttpRoute& route);

  // What to have before a body is worked on.
  uint64_t WorkBytes(const HttpRequest& request, const HttpRoute& route, uint64_t body_bytes) const;

  // Runs the handler, on a worker thread. `work` has that, where requests wait for it.
  HttpResponse Run(HttpRequest& request, const HttpRoute& route, base::ByteLease work);

  HttpResponse Error(const HttpRefusal& refusal, const HttpRequest& request);
  // 503 with a delay.
  HttpResponse Overloaded(RefusalReason reason, std::string_view message,
                          const HttpRequest& request);

  // False once as many requests are in flight as may be.
  bool BeginRequest();
  void EndRequest();

  // Connections beyond the limit are told so, as long as there are not too many of those either.
  enum class Entry { kServe, kRefuse, kDrop };
  Entry AddConnection(uint64_t id, std::weak_ptr<HttpConnectionHandle> connection);
  void RemoveConnection(uint64_t id);
  void CountDropped(RefusalReason reason);  // a connection that is not told anything
  uint64_t NextConnectionId() { return next_id_.fetch_add(1, std::memory_order_relaxed); }

  bool is_stopping() const { return is_stopping_.load(); }
  void BeginStop();
  bool WaitUntilEmpty(std::chrono::milliseconds timeout);
  void WaitUntilEmpty();
  void AbortAll();

  HttpServer::Stats stats() const;

 private:
  std::optional<HttpResponse> CheckBody(const HttpRequest& request,
                                        std::optional<uint64_t> declared_bytes);
  std::optional<HttpResponse> RemoveCoding(HttpRequest& request);
  bool TakeWorkMemory(HttpRequest& request, const HttpRoute& route);
  std::vector<std::shared_ptr<HttpConnectionHandle>> Connections();

  const HttpServerOptions options_;
  const HttpRouter router_;
  std::atomic<uint64_t> next_id_ = 1;
  std::atomic<bool> is_stopping_ = false;
  std::atomic<int> in_flight_ = 0;
  std::atomic<uint64_t> requests_count_ = 0;
  std::atomic<uint64_t> refused_count_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable emptied_;
  std::unordered_map<uint64_t, std::weak_ptr<HttpConnectionHandle>> connections_;  // by mutex_

  WorkerPool pool_;  // last, with the next: their threads use the rest
  WorkerPool probe_pool_;
};

// The head of an answer as it goes over the wire. Control characters in headers become spaces, so
// that a value taken from a request cannot add a header.
struct HttpHeadOptions {
  bool keep_alive = true;
  bool is_http_1_0 = false;
  bool is_streamed = false;  // nobody knows how long it will be
};
std::string SerializeHead(const HttpResponse& response, const HttpHeadOptions& options);

}  // namespace flarestack::net
