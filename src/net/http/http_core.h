// SPDX-License-Identifier: Apache-2.0
//
// State shared by the connections of one server, and all decisions about a request that do not need
// a socket. Internal to the HTTP server. Thread-safe.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/mutex.h"
#include "net/http/http_message.h"
#include "net/http/http_router.h"
#include "net/http/http_server.h"
#include "net/worker_pool.h"

namespace flarestack::net {

// The server's handle to a connection, used when it stops. Both functions may be called from any
// thread.
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
  // The pool that runs requests of this route.
  WorkerPool& pool(const HttpRoute& route) { return route.is_probe ? probe_pool_ : pool_; }

  // Fills in path, query and path parameters and finds the route. A returned response is an error
  // and ends the request. `declared_bytes` is the Content-Length, if present.
  std::optional<HttpResponse> CheckHead(HttpRequest& request,
                                        std::optional<uint64_t> declared_bytes,
                                        const HttpRoute** route);

  bool NeedsAdmission(const HttpRoute& route) const;
  // May be slow (password hashing): call it on a worker thread.
  std::optional<HttpResponse> Admit(HttpRequest& request, const HttpRoute& route);

  // The memory to acquire before a body is processed.
  uint64_t WorkBytes(const HttpRequest& request, const HttpRoute& route, uint64_t body_bytes) const;

  // Runs the handler, on a worker thread. `work` covers WorkBytes() if there is a work queue.
  HttpResponse Run(HttpRequest& request, const HttpRoute& route, base::ByteLease work);

  HttpResponse Error(const HttpRejection& rejection, const HttpRequest& request);
  // Makes a 503 with a retry delay.
  HttpResponse Overloaded(RejectionReason reason, std::string_view message,
                          const HttpRequest& request);

  // Returns false if the limit of requests in flight is reached.
  bool BeginRequest();
  void EndRequest();

  // Connections beyond the limit get an error response (kReject), unless there are too many of
  // those as well (kDrop).
  enum class Entry { kServe, kReject, kDrop };
  Entry AddConnection(uint64_t id, std::weak_ptr<HttpConnectionHandle> connection);
  void RemoveConnection(uint64_t id);
  void CountDropped(RejectionReason reason);  // a connection closed without a response
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
  std::atomic<uint64_t> rejected_count_ = 0;

  mutable base::Mutex mutex_;
  base::CondVar emptied_;
  std::unordered_map<uint64_t, std::weak_ptr<HttpConnectionHandle>> connections_
      FLARE_GUARDED_BY(mutex_);

  WorkerPool pool_;  // last, with probe_pool_: their threads use the other members
  WorkerPool probe_pool_;
};

// Writes the head of a response in wire format. Control characters in headers become spaces, so
// that a value taken from a request cannot inject a header.
struct HttpHeadOptions {
  bool keep_alive = true;
  bool is_http_1_0 = false;
  bool is_streamed = false;  // the length is not known in advance
};
std::string SerializeHead(const HttpResponse& response, const HttpHeadOptions& options);

}  // namespace flarestack::net
