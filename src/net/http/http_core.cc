// SPDX-License-Identifier: Apache-2.0
#include "net/http/http_core.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/status.h"
#include "base/text/text.h"
#include "net/http/http_target.h"

namespace flarestack::net {
namespace {

// How many connections beyond the limit may get an error response at the same time.
constexpr size_t kRejectedConnectionsMax = 64;

constexpr int kProbeThreads = 1;

std::string Join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    base::StrAppend(&text, text.empty() ? "" : ", ", word);
  return text;
}

// Rounded up: a client that retries too early is rejected again.
std::string SecondsText(std::chrono::milliseconds delay) {
  return std::to_string(std::chrono::ceil<std::chrono::seconds>(delay).count());
}

int HttpStatusOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnauthenticated:
      return 401;
    case absl::StatusCode::kPermissionDenied:
      return 403;
    case absl::StatusCode::kResourceExhausted:
      return 429;
    default:
      return 503;
  }
}

}  // namespace

HttpCore::HttpCore(HttpServerOptions options)
    : options_(std::move(options)),
      router_(options_.routes),
      pool_(options_.worker_threads),
      probe_pool_(kProbeThreads) {}

HttpResponse HttpCore::Error(const HttpRejection& rejection, const HttpRequest& request) {
  rejected_count_.fetch_add(1, std::memory_order_relaxed);
  if (options_.on_rejected != nullptr)
    options_.on_rejected(std::to_string(rejection.status), rejection.reason);
  HttpResponse response;
  if (options_.error != nullptr) {
    response = options_.error(rejection.status, rejection.message, request);
  } else {
    response.headers.Add("Content-Type", "text/plain; charset=utf-8");
    response.body = base::StrCat(rejection.message, "\n");
  }
  response.status = rejection.status;
  return response;
}

void HttpCore::CountDropped(RejectionReason reason) {
  if (options_.on_rejected != nullptr)
    options_.on_rejected("", reason);
}

HttpResponse HttpCore::Overloaded(RejectionReason reason, std::string_view message,
                                  const HttpRequest& request) {
  HttpResponse response = Error({503, reason, std::string(message)}, request);
  response.headers.Set("Retry-After", SecondsText(limits().retry_after));
  return response;
}

std::optional<HttpResponse> HttpCore::CheckHead(HttpRequest& request,
                                                std::optional<uint64_t> declared_bytes,
                                                const HttpRoute** route) {
  requests_count_.fetch_add(1, std::memory_order_relaxed);
  if (is_stopping())
    return Overloaded(RejectionReason::kStopping, "the server is shutting down", request);
  if (request.target.size() > limits().target_bytes_max) {
    return Error({414, RejectionReason::kHeadTooLarge,
                  base::StrCat("the target is longer than ", limits().target_bytes_max, " bytes")},
                 request);
  }
  auto target = ParseTarget(request.target);
  if (!target.ok())
    return Error({400, RejectionReason::kBadHead, std::string(base::Message(target.status()))},
                 request);
  request.path = std::move(target->path);
  request.query = std::move(target->query);
  if (request.path == "*" && request.method == "OPTIONS")
    return HttpResponse{.status = 204};

  HttpRouter::Match match = router_.Find(request.method, request.path);
  if (match.route == nullptr) {
    if (match.allowed.empty())
      return Error({404, RejectionReason::kNoRoute, base::StrCat("no such path: ", request.path)},
                   request);
    const bool is_question = request.method == "OPTIONS";
    HttpResponse response =
        is_question ? HttpResponse{.status = 204}
                    : Error({405, RejectionReason::kMethod,
                             base::StrCat(request.path, " takes ", Join(match.allowed))},
                            request);
    response.headers.Set("Allow", Join(match.allowed));
    return response;
  }
  request.path_parameters = std::move(match.path_parameters);
  *route = match.route;
  return CheckBody(request, declared_bytes);
}

std::optional<HttpResponse> HttpCore::CheckBody(const HttpRequest& request,
                                                std::optional<uint64_t> declared_bytes) {
  if (const auto coding = ParseContentCoding(request.headers.Get("Content-Encoding"));
      !coding.ok()) {
    HttpResponse response = Error(
        {415, RejectionReason::kEncoding, std::string(base::Message(coding.status()))}, request);
    response.headers.Set("Accept-Encoding", std::string(kAcceptedCodings));
    return response;
  }
  if (declared_bytes.value_or(0) > limits().body_bytes_max) {
    return Error({413, RejectionReason::kBodyTooLarge,
                  base::StrCat("the body has ", *declared_bytes, " bytes, the limit is ",
                               limits().body_bytes_max)},
                 request);
  }
  return std::nullopt;
}

bool HttpCore::NeedsAdmission(const HttpRoute& route) const {
  return options_.authenticator != nullptr && route.needed != Role::kNone;
}

std::optional<HttpResponse> HttpCore::Admit(HttpRequest& request, const HttpRoute& route) {
  auto principal =
      net::Admit(options_.authenticator.get(),
                 {request.headers.Get("Authorization"), request.tls_client_name}, route.needed);
  if (principal.ok()) {
    request.principal = *std::move(principal);
    return std::nullopt;
  }
  const absl::Status& status = principal.status();
  HttpResponse response =
      Error({HttpStatusOf(status), ReasonOfAdmission(status), std::string(base::Message(status))},
            request);
  if (response.status == 401) {
    // A script that prompts for credentials itself sends this header. If the response offered
    // Basic, the browser would prompt first.
    const bool is_script = request.headers.Get("X-Requested-With") == "XMLHttpRequest";
    response.headers.Set("WWW-Authenticate",
                         is_script ? "Bearer" : "Bearer, Basic realm=\"flarestack\"");
  }
  if (const auto delay = RetryDelay(status); delay.has_value())
    response.headers.Set("Retry-After", SecondsText(*delay));
  return response;
}

std::optional<HttpResponse> HttpCore::RemoveCoding(HttpRequest& request) {
  const auto coding = ParseContentCoding(request.headers.Get("Content-Encoding"));
  if (!coding.ok() || *coding == ContentCoding::kIdentity || request.body.empty())
    return std::nullopt;  // CheckHead() has rejected unknown codings
  auto body = Decompress(*coding, request.body, limits().decompress, &request.lease);
  if (body.ok()) {
    request.body = *std::move(body);
    request.lease.ShrinkTo(request.body.size());
    return std::nullopt;
  }
  const RejectionReason reason = ReasonOfBody(body.status());
  const std::string message(base::Message(body.status()));
  if (reason == RejectionReason::kBytesInFlight)
    return Overloaded(reason, message, request);
  return Error({reason == RejectionReason::kExpandsTooFar ? 413 : 400, reason, message}, request);
}

uint64_t HttpCore::WorkBytes(const HttpRequest& request, const HttpRoute& route,
                             uint64_t body_bytes) const {
  const uint64_t bytes =
      route.memory_need == nullptr ? body_bytes : route.memory_need(request, body_bytes);
  return options_.queues.AtMostAll(std::max(bytes, body_bytes));
}

// The decompressed size is now known, and may need more memory than estimated.
bool HttpCore::TakeWorkMemory(HttpRequest& request, const HttpRoute& route) {
  const uint64_t bytes = WorkBytes(request, route, request.body.size());
  request.lease.ShrinkReserve(bytes);
  return options_.queues.work->WaitHere(
             {.lease = &request.lease, .bytes = bytes, .until = request.begin_by}) &&
         request.lease.GrowTo(request.body.size());
}

HttpResponse HttpCore::Run(HttpRequest& request, const HttpRoute& route, base::ByteLease work) {
  if (request.principal.rate_limit != nullptr)
    request.principal.rate_limit->PayBytes(request.body.size());
  const bool has_work_memory = options_.queues.work != nullptr && !request.body.empty();
  base::ByteLease as_sent =
      has_work_memory ? std::exchange(request.lease, std::move(work)) : base::ByteLease();
  if (auto rejection = RemoveCoding(request); rejection.has_value())
    return *std::move(rejection);
  as_sent.Release();
  if (!request.lease.CanEverHold(request.body.size()))
    return Error({413, RejectionReason::kBodyTooLarge, "not enough memory for the body"}, request);
  if (has_work_memory && !TakeWorkMemory(request, route))
    return Overloaded(RejectionReason::kQueueTimeout, "the server is overloaded", request);
  try {
    return route.handler(request);
  } catch (const std::exception& e) {
    // Our handlers do not throw. A library they use may, and must not crash the process.
    return Error(
        {500, RejectionReason::kHandlerFailed, base::StrCat("the handler failed: ", e.what())},
        request);
  }
}

bool HttpCore::BeginRequest() {
  if (in_flight_.fetch_add(1) < limits().requests_in_flight_max)
    return true;
  in_flight_.fetch_sub(1);
  return false;
}

void HttpCore::EndRequest() { in_flight_.fetch_sub(1); }

HttpCore::Entry HttpCore::AddConnection(uint64_t id,
                                        std::weak_ptr<HttpConnectionHandle> connection) {
  const base::MutexLock lock(mutex_);
  const auto serve_max = static_cast<size_t>(std::max(0, limits().connections_max));
  if (is_stopping_ || connections_.size() >= serve_max + kRejectedConnectionsMax)
    return Entry::kDrop;
  connections_.emplace(id, std::move(connection));
  return connections_.size() > serve_max ? Entry::kReject : Entry::kServe;
}

void HttpCore::RemoveConnection(uint64_t id) {
  const base::MutexLock lock(mutex_);
  connections_.erase(id);
  if (connections_.empty())
    emptied_.NotifyAll();
}

std::vector<std::shared_ptr<HttpConnectionHandle>> HttpCore::Connections() {
  const base::MutexLock lock(mutex_);
  std::vector<std::shared_ptr<HttpConnectionHandle>> alive;
  for (const auto& [id, weak] : connections_) {
    if (auto connection = weak.lock(); connection != nullptr)
      alive.push_back(std::move(connection));
  }
  return alive;
}

void HttpCore::BeginStop() {
  {
    // Under the mutex, so that no connection is added after the loop below.
    const base::MutexLock lock(mutex_);
    is_stopping_ = true;
  }
  for (const auto& connection : Connections())
    connection->CloseIfIdle();
}

void HttpCore::AbortAll() {
  for (const auto& connection : Connections())
    connection->Abort();
}

bool HttpCore::WaitUntilEmpty(std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  const base::MutexLock lock(mutex_);
  while (!connections_.empty() && emptied_.WaitUntil(mutex_, deadline)) {
  }
  return connections_.empty();
}

void HttpCore::WaitUntilEmpty() {
  const base::MutexLock lock(mutex_);
  while (!connections_.empty())
    emptied_.Wait(mutex_);
}

HttpServer::Stats HttpCore::stats() const {
  const base::MutexLock lock(mutex_);
  return {.requests_count = requests_count_,
          .rejected_count = rejected_count_,
          .connections = static_cast<int>(connections_.size()),
          .requests_in_flight = in_flight_};
}

}  // namespace flarestack::net
