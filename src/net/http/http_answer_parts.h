// SPDX-License-Identifier: Apache-2.0
//
// The client of a connection, as the handler of its request sees it. Internal to the HTTP server,
// included by http_connection.cc alone.
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

#include "base/text.h"
#include "net/http/http_core.h"
#include "net/http/http_framing.h"
#include "net/http/http_peer.h"
#include "net/http/http_stream.h"

namespace flarestack::net {

template <typename Stream>
class HttpAnswerParts final : public HttpPeer {
 public:
  // The connection, to which all else belongs, is kept alive while bytes are on their way.
  struct Connection {
    Stream& stream;
    StreamDeadline& deadline;
    const HttpLimits& limits;
    std::weak_ptr<void> owner;
  };
  HttpAnswerParts(Connection connection, const HttpHeadOptions& head)
      : connection_(std::move(connection)), head_(head) {
    head_.is_streamed = true;
    // Without chunks, which HTTP/1.0 does not have, the end of the connection is that of the
    // answer.
    head_.keep_alive = head.keep_alive && !head.is_http_1_0;
  }

  // Bytes that wait to be read hide the end behind them from a read, but not from poll.
  bool IsGone() override {
    pollfd socket = {
        .fd = RawSocket(connection_.stream).native_handle(), .events = POLLRDHUP, .revents = 0};
    return ::poll(&socket, 1, 0) > 0;
  }

  bool BeginAnswer(const HttpResponse& head) override {
    is_begun_ = true;
    return Send(base::StrCat(SerializeHead(head, head_), Part(head.body)));
  }

  bool SendPart(std::string_view bytes) override { return bytes.empty() || Send(Part(bytes)); }

  void Abandon() override { is_broken_ = true; }

  // For the connection, after the handler.
  bool is_begun() const { return is_begun_; }
  bool is_broken() const { return is_broken_; }  // nothing may follow a part that was cut
  bool keep_alive() const { return head_.keep_alive; }
  std::string End(std::string_view last_part) const {
    return base::StrCat(Part(last_part), head_.is_http_1_0 ? "" : kLastChunk);
  }

 private:
  std::string Part(std::string_view bytes) const {
    return head_.is_http_1_0 ? std::string(bytes) : ChunkOf(bytes);
  }

  // Hands the bytes to the strand and waits for them.
  bool Send(const std::string& bytes) {
    // Both threads hold it: whoever waits may be gone before the other has returned from telling.
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
