// SPDX-License-Identifier: Apache-2.0
//
// The client of a connection as seen by the request handler. Internal to the HTTP server; only
// http_connection.cc includes it.
#pragma once

#include <poll.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/text.h"
#include "net/http/http_core.h"
#include "net/http/http_framing.h"
#include "net/http/http_peer.h"
#include "net/http/http_stream.h"

namespace flarestack::net {

template <typename Stream>
class HttpResponseParts final : public HttpPeer {
 public:
  // `owner` is the connection that owns the rest. It is kept alive while bytes are being sent.
  struct Connection {
    Stream& stream;
    StreamDeadline& deadline;
    const HttpLimits& limits;
    std::weak_ptr<void> owner;
  };
  HttpResponseParts(Connection connection, const HttpHeadOptions& head)
      : connection_(std::move(connection)), head_(head) {
    head_.is_streamed = true;
    // HTTP/1.0 has no chunks, so closing the connection marks the end of the response.
    head_.keep_alive = head.keep_alive && !head.is_http_1_0;
  }

  // Uses poll, because a read would not see the hang-up behind unread bytes.
  bool IsGone() override {
    pollfd socket = {
        .fd = RawSocket(connection_.stream).native_handle(), .events = POLLRDHUP, .revents = 0};
    return ::poll(&socket, 1, 0) > 0;
  }

  bool BeginResponse(const HttpResponse& head) override {
    is_begun_ = true;
    return Send(base::StrCat(SerializeHead(head, head_), Part(head.body)));
  }

  bool SendPart(std::string_view bytes) override { return bytes.empty() || Send(Part(bytes)); }

  void Abandon() override { is_broken_ = true; }

  // For the connection, after the handler has returned.
  bool is_begun() const { return is_begun_; }
  bool is_broken() const { return is_broken_; }  // nothing may follow a partial part
  bool keep_alive() const { return head_.keep_alive; }
  std::string End(std::string_view last_part) const {
    return base::StrCat(Part(last_part), head_.is_http_1_0 ? "" : kLastChunk);
  }

 private:
  std::string Part(std::string_view bytes) const {
    return head_.is_http_1_0 ? std::string(bytes) : ChunkOf(bytes);
  }

  // Posts the bytes to the strand and waits until they are sent.
  bool Send(const std::string& bytes) {
    // Shared by both threads: the waiter may return before set_value() has returned on the other.
    const auto sent = std::make_shared<std::promise<bool>>();
    const auto owner = connection_.owner.lock();
    boost::asio::post(connection_.stream.get_executor(), [&, sent] {
      const auto time =
          connection_.limits.write_timeout +
          std::chrono::milliseconds(bytes.size() * 1000 / connection_.limits.bytes_per_second_min);
      connection_.deadline.Arm(owner, StreamDeadline::Clock::now() + time);
      boost::asio::async_write(connection_.stream, boost::asio::buffer(bytes),
                               [&, sent](const boost::system::error_code& error, size_t) {
                                 connection_.deadline.Disarm();
                                 sent->set_value(!error);
                               });
    });
    const bool is_sent = sent->get_future().get();
    is_broken_ = is_broken_ || !is_sent;
    return is_sent;
  }

  const Connection connection_;
  HttpHeadOptions head_;
  bool is_begun_ = false;
  bool is_broken_ = false;
};

}  // namespace flarestack::net
