// SPDX-License-Identifier: Apache-2.0
#include "net/http/http_connection.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/text/text.h"
#include "net/http/http_framing.h"
#include "net/http/http_response_parts.h"
#include "net/http/http_stream.h"

namespace flarestack::net {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;
using Clock = StreamDeadline::Clock;

constexpr size_t kReadBytes = 64 << 10;
// Server shutdown must not wait long for clients that already have their response.
constexpr std::chrono::milliseconds kLingerWhenStopping{1000};

std::string EndpointText(const TcpSocket& socket) {
  error_code error;
  const auto endpoint = socket.remote_endpoint(error);
  if (error)
    return "";
  return ToString(Address{endpoint.address().to_string(), endpoint.port()});
}

//   idle -> head -> (admission) -> body -> running -> writing -> idle ...
//                                                            \-> lingering -> closed
template <typename Stream>
class HttpConnection final : public HttpConnectionHandle,
                             public std::enable_shared_from_this<HttpConnection<Stream>> {
 public:
  HttpConnection(Stream stream, std::shared_ptr<HttpCore> core)
      : core_(std::move(core)),
        id_(core_->NextConnectionId()),
        stream_(std::move(stream)),
        deadline_(RawSocket(stream_)) {}

  ~HttpConnection() override {
    if (is_counted_)
      core_->EndRequest();
    core_->RemoveConnection(id_);
  }

  void Start() {
    const HttpCore::Entry entry = core_->AddConnection(id_, this->weak_from_this());
    if (entry == HttpCore::Entry::kDrop)
      return core_->CountDropped(core_->is_stopping() ? RejectionReason::kStopping
                                                      : RejectionReason::kConnections);
    is_rejected_ = entry == HttpCore::Entry::kReject;
    error_code ignored;
    RawSocket(stream_).set_option(asio::ip::tcp::no_delay(true), ignored);
    remote_address_ = EndpointText(RawSocket(stream_));
    Open();
  }

  void CloseIfIdle() override {
    OnStrand([this] {
      if (is_idle_)
        Close();
      if (is_lingering_)
        Arm(kLingerWhenStopping);
    });
  }

  void Abort() override {
    OnStrand([this] { Close(); });
  }

 private:
  template <typename Function>
  void OnStrand(Function function) {
    asio::post(stream_.get_executor(),
               [self = this->shared_from_this(), function = std::move(function)] { function(); });
  }

  void Arm(Clock::duration time) { deadline_.Arm(this->shared_from_this(), Clock::now() + time); }

  Clock::duration TimeFor(uint64_t bytes) const {
    return std::chrono::milliseconds(bytes * 1000 / core_->limits().bytes_per_second_min);
  }

  void Open() {
    if constexpr (std::is_same_v<Stream, TlsSocket>) {
      Arm(core_->limits().header_timeout);
      stream_.async_handshake(asio::ssl::stream_base::server,
                              [self = this->shared_from_this(), this](const error_code& error) {
                                if (error)
                                  return Close();
                                tls_client_name_ = ClientName(stream_);
                                NextRequest();
                              });
    } else {
      asio::dispatch(stream_.get_executor(),
                     [self = this->shared_from_this(), this] { NextRequest(); });
    }
  }

  void NextRequest() {
    if (core_->is_stopping())
      return Linger();
    parser_.emplace();
    parser_->header_limit(static_cast<uint32_t>(core_->limits().header_bytes_max));
    // Our own limit is checked once the route is known, so that the response can say so. Beast 1.74
    // treats boost::none, which means "no limit", as a limit of zero.
    parser_->body_limit(std::numeric_limits<uint64_t>::max());
    request_ = HttpRequest{};
    route_ = nullptr;
    has_unread_body_ = false;
    if (buffer_.size() > 0)
      return BeginHead();
    is_idle_ = true;
    Arm(core_->limits().idle_timeout);
    Read([this](const error_code& error) {
      is_idle_ = false;
      if (error)
        return Close();
      BeginHead();
    });
  }

  // Appends available bytes to the buffer, then calls `next` on the strand.
  template <typename Next>
  void Read(Next next) {
    stream_.async_read_some(buffer_.prepare(kReadBytes),
                            [self = this->shared_from_this(), this, next = std::move(next)](
                                const error_code& error, size_t bytes) {
                              buffer_.commit(bytes);
                              next(error);
                            });
  }

  void BeginHead() {
    Arm(core_->limits().header_timeout);
    ParseHead();
  }

  void ParseHead() {
    error_code error;
    buffer_.consume(parser_->put(buffer_.data(), error));
    if (error == http::error::need_more) {
      return Read([this](const error_code& read_error) {
        if (deadline_.is_expired())
          return RejectHead(
              {408, RejectionReason::kHeadTimeout, "timed out reading the request headers"});
        if (read_error)
          return Close();
        ParseHead();
      });
    }
    if (error)
      return RejectHead(RejectionOfHead(error, *parser_, core_->limits()));
    OnHead();
  }

  void RejectHead(const HttpRejection& rejection) {
    has_unread_body_ = true;  // its end is unknown
    Write(core_->Error(rejection, request_));
  }

  void OnHead() {
    const auto& head = parser_->get();
    request_.method = std::string(head.method_string());
    request_.target = std::string(head.target());
    for (const auto& field : head)
      request_.headers.Add(std::string(field.name_string()), std::string(field.value()));
    request_.remote_address = remote_address_;
    request_.tls_client_name = tls_client_name_;
    has_unread_body_ = parser_->chunked() || parser_->content_length().value_or(0) > 0;

    if (const auto rejection = CheckFraming(*parser_); rejection.has_value())
      return RejectHead(*rejection);
    std::optional<uint64_t> declared_bytes;
    if (const auto length = parser_->content_length(); length.has_value())
      declared_bytes = *length;
    if (auto answer = core_->CheckHead(request_, declared_bytes, &route_); answer.has_value())
      return Write(*std::move(answer));
    if (is_rejected_)
      return WriteLast(
          core_->Overloaded(RejectionReason::kConnections, "too many connections", request_));
    is_counted_ = !route_->is_probe && core_->BeginRequest();
    if (!is_counted_ && !route_->is_probe)
      return Write(
          core_->Overloaded(RejectionReason::kRequests, "too many requests in flight", request_));
    if (!core_->NeedsAdmission(*route_))
      return BeginBody();
    deadline_.Disarm();
    OnWorker([this] { return core_->Admit(request_, *route_); },
             [this](std::optional<HttpResponse> answer) {
               if (answer.has_value())
                 return Write(*std::move(answer));
               BeginBody();
             });
  }

  // Runs `work` on a worker thread and `next` with its result back on the strand.
  template <typename Work, typename Next>
  void OnWorker(Work work, Next next) {
    core_->pool(*route_).Post([self = this->shared_from_this(), this, work = std::move(work),
                               next = std::move(next)]() mutable {
      auto result = std::make_shared<std::invoke_result_t<Work>>(work());
      asio::post(stream_.get_executor(),
                 [self = std::move(self), next = std::move(next),
                  result = std::move(result)]() mutable { next(std::move(*result)); });
    });
  }

  void BeginBody() {
    request_.lease = base::ByteLease(core_->options().budget.get());
    if (!request_.lease.CanEverHold(parser_->content_length().value_or(0)))
      return Write(core_->Error(
          {413, RejectionReason::kBodyTooLarge, "the body is larger than the in-flight limit"},
          request_));
    const auto before = Clock::now();
    const auto next = [self = this->shared_from_this(), this, before](bool is_granted) {
      queued_ = Clock::now() - before;
      if (!is_granted)
        return Write(core_->Overloaded(RejectionReason::kBytesInFlight, "too many bytes in flight",
                                       request_));
      BeginReading();
    };
    const uint64_t bytes = parser_->content_length().value_or(0);
    const RequestQueues& queues = core_->options().queues;
    if (queues.bodies == nullptr || bytes == 0)
      return next(request_.lease.Grow(bytes));
    deadline_.Disarm();
    queues.bodies->Wait(
        {.lease = &request_.lease, .bytes = bytes, .until = before + queues.timeout},
        [this, next, bytes](bool is_granted) {
          asio::post(stream_.get_executor(), [this, next, bytes, is_granted] {
            next(is_granted && request_.lease.Grow(bytes));
          });
        });
  }

  void BeginReading() {
    parser_->eager(true);
    body_began_ = Clock::now();
    const bool waits = has_unread_body_ && buffer_.size() == 0 &&
                       EqualsIgnoringCase(request_.headers.Get("Expect"), "100-continue");
    if (!waits || parser_->get().version() < 11)
      return ReadBody();
    head_ = "HTTP/1.1 100 Continue\r\n\r\n";
    Arm(core_->limits().write_timeout);
    asio::async_write(stream_, asio::buffer(head_),
                      [self = this->shared_from_this(), this](const error_code& error, size_t) {
                        if (error)
                          return Close();
                        ReadBody();
                      });
  }

  void ReadBody() {
    if (parser_->is_done())
      return RunHandler();
    const std::string& body = parser_->get().body();
    if (!request_.lease.GrowTo(parser_->chunked() ? body.size() + buffer_.size() + kReadBytes : 0))
      return Write(
          core_->Overloaded(RejectionReason::kBytesInFlight, "too many bytes in flight", request_));
    error_code error;
    if (buffer_.size() > 0)
      buffer_.consume(parser_->put(buffer_.data(), error));
    if (body.size() > core_->limits().body_bytes_max) {
      return Write(core_->Error(
          {413, RejectionReason::kBodyTooLarge,
           base::StrCat("the body is larger than ", core_->limits().body_bytes_max, " bytes")},
          request_));
    }
    // The parser keeps chunk headers until they are complete, and a sender may make them
    // arbitrarily long.
    if ((error && error != http::error::need_more) ||
        buffer_.size() > core_->limits().header_bytes_max + kReadBytes) {
      return Write(core_->Error(
          {400, RejectionReason::kBadBody, "the body does not match its headers"}, request_));
    }
    if (parser_->is_done())
      return RunHandler();
    deadline_.Arm(this->shared_from_this(),
                  body_began_ + core_->limits().body_timeout + TimeFor(body.size()));
    Read([this](const error_code& read_error) {
      if (deadline_.is_expired())
        return Write(core_->Error(
            {408, RejectionReason::kBodyTimeout, "timed out reading the body"}, request_));
      if (read_error)
        return Close();
      ReadBody();
    });
  }

  void RunHandler() {
    deadline_.Disarm();
    has_unread_body_ = false;
    request_.body = std::move(parser_->get().body());
    request_.lease.ShrinkTo(request_.body.capacity());
    const RequestQueues& queues = core_->options().queues;
    request_.begin_by = queues.BeginBy(queued_);
    if (queues.work == nullptr || request_.body.empty())
      return HandOver();
    work_ = queues.WorkLease();
    queues.work->Wait({.lease = &work_,
                       .bytes = core_->WorkBytes(request_, *route_, request_.body.size()),
                       .until = request_.begin_by},
                      [self = this->shared_from_this(), this](bool is_granted) {
                        asio::post(stream_.get_executor(), [self, this, is_granted] {
                          if (is_granted)
                            return HandOver();
                          request_.body = {};
                          request_.lease.Release();
                          Write(core_->Overloaded(RejectionReason::kQueueTimeout,
                                                  "the server is overloaded", request_));
                        });
                      });
  }

  void HandOver() {
    is_running_ = true;
    parts_.emplace(
        typename HttpResponseParts<Stream>::Connection{stream_, deadline_, core_->limits(),
                                                       this->weak_from_this()},
        HeadOptions());
    request_.peer = &*parts_;
    OnWorker(
        [this] {
          HttpResponse response = core_->Run(request_, *route_, std::move(work_));
          request_.body = {};
          request_.lease.Release();
          return response;
        },
        [this](HttpResponse response) {
          is_running_ = false;
          if (is_closing_ || parts_->is_broken())
            return Close();
          if (!parts_->is_begun())
            return Write(std::move(response));
          head_.clear();
          response.body = parts_->End(response.body);
          WriteOut(std::move(response), parts_->keep_alive());
        });
  }

  HttpHeadOptions HeadOptions() const {
    return {.keep_alive = !has_unread_body_ && !core_->is_stopping() && parser_->get().keep_alive(),
            .is_http_1_0 = parser_->get().version() < 11};
  }

  void WriteLast(HttpResponse response) {
    has_unread_body_ = true;
    Write(std::move(response));
  }

  void Write(HttpResponse response) {
    const HttpHeadOptions options = HeadOptions();
    head_ = SerializeHead(response, options);
    if (request_.method == "HEAD" || response.status == 204 || response.status == 304)
      response.body.clear();
    WriteOut(std::move(response), options.keep_alive);
  }

  // Writes head and body, then continues with the next request or lingers.
  void WriteOut(HttpResponse response, bool keep_alive) {
    response_ = std::move(response);
    Arm(core_->limits().write_timeout + TimeFor(head_.size() + response_.body.size()));
    const std::array<asio::const_buffer, 2> buffers = {asio::buffer(head_),
                                                       asio::buffer(response_.body)};
    asio::async_write(
        stream_, buffers,
        [self = this->shared_from_this(), this, keep_alive](const error_code& error, size_t) {
          if (std::exchange(is_counted_, false))
            core_->EndRequest();
          response_ = {};
          request_ = {};
          if (error)
            return Close();
          if (keep_alive)
            return NextRequest();
          Linger();
        });
  }

  // Closing a socket with unread bytes resets it, and the client may lose a response it has not
  // read yet. So we shut down our side first and read until the client closes too.
  void Linger() {
    is_lingering_ = true;
    Arm(core_->is_stopping() ? std::min(kLingerWhenStopping, core_->limits().linger_timeout)
                             : core_->limits().linger_timeout);
    if constexpr (std::is_same_v<Stream, TlsSocket>) {
      stream_.async_shutdown(
          [self = this->shared_from_this(), this](const error_code&) { Drain(); });
    } else {
      Drain();
    }
  }

  void Drain() {
    error_code error;
    RawSocket(stream_).shutdown(TcpSocket::shutdown_send, error);
    ReadAway();
  }

  void ReadAway() {
    if (deadline_.is_expired())
      return Close();
    buffer_.clear();
    RawSocket(stream_).async_read_some(
        buffer_.prepare(kReadBytes),
        [self = this->shared_from_this(), this](const error_code& error, size_t) {
          if (error)
            return Close();
          ReadAway();
        });
  }

  // A running handler may poll the socket, so its descriptor must not be reused meanwhile.
  void Close() {
    deadline_.Disarm();
    error_code ignored;
    if (is_running_) {
      is_closing_ = true;
      RawSocket(stream_).shutdown(TcpSocket::shutdown_both, ignored);
      return;
    }
    RawSocket(stream_).close(ignored);
  }

  const std::shared_ptr<HttpCore> core_;
  const uint64_t id_;
  Stream stream_;
  StreamDeadline deadline_;
  boost::beast::flat_buffer buffer_;
  std::string remote_address_;
  std::string tls_client_name_;
  bool is_rejected_ = false;   // exceeds the connection limit
  bool is_idle_ = false;       // between two requests
  bool is_lingering_ = false;  // after the last request

  // State of the current request.
  std::optional<HttpParser> parser_;
  HttpRequest request_;
  const HttpRoute* route_ = nullptr;
  bool has_unread_body_ = false;
  bool is_counted_ = false;                         // as a request in flight
  std::optional<HttpResponseParts<Stream>> parts_;  // while its handler runs
  bool is_running_ = false;                         // the handler is running
  bool is_closing_ = false;                         // close once the handler has returned
  Clock::time_point body_began_;
  Clock::duration queued_{};  // wait before its body could be read
  base::ByteLease work_;      // memory while it is handled
  std::string head_;
  HttpResponse response_;
};

}  // namespace

void StartHttpConnection(TcpSocket socket, std::shared_ptr<HttpCore> core) {
  const std::shared_ptr<TlsFiles>& tls = core->options().tls;
  if (tls != nullptr) {
    const TlsFiles::Snapshot current = tls->Current();
    SSL_CTX_up_ref(current.context.get());
    asio::ssl::context context(current.context.get());  // takes ownership of that reference
    std::make_shared<HttpConnection<TlsSocket>>(TlsSocket(std::move(socket), context),
                                                std::move(core))
        ->Start();
    return;
  }
  std::make_shared<HttpConnection<TcpSocket>>(std::move(socket), std::move(core))->Start();
}

}  // namespace flarestack::net
