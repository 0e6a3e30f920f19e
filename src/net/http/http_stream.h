// SPDX-License-Identifier: Apache-2.0
//
// A socket with a deadline. Beast's own streams close the socket on a timeout, but a client that
// was too slow must still get an error response. So here the pending operation is cancelled and the
// socket stays usable. Internal to the HTTP server; only http_connection.cc includes it.
//
// Everything runs on the strand of the socket.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "net/tls/tls_files.h"

namespace flarestack::net {

using TcpSocket = boost::asio::ip::tcp::socket;
using TlsSocket = boost::asio::ssl::stream<TcpSocket>;

inline TcpSocket& RawSocket(TcpSocket& socket) { return socket; }
inline TcpSocket& RawSocket(TlsSocket& stream) { return stream.next_layer(); }

inline std::string ClientName(TcpSocket&) { return ""; }
inline std::string ClientName(TlsSocket& stream) { return TlsPeerName(stream.native_handle()); }

class StreamDeadline {
 public:
  using Clock = std::chrono::steady_clock;

  explicit StreamDeadline(TcpSocket& socket) : socket_(socket), timer_(socket.get_executor()) {}

  // `owner` keeps this object alive until the timer releases it.
  void Arm(std::shared_ptr<void> owner, Clock::time_point at) {
    ++generation_;
    is_expired_ = false;
    cancels_left_ = kCancelsMax;
    Wait(std::move(owner), at);
  }

  void Disarm() {
    ++generation_;
    timer_.cancel();
  }

  bool is_expired() const { return is_expired_; }

 private:
  // An operation made of several reads may be between two of them when it is cancelled, and would
  // continue. So it is cancelled repeatedly until it ends. If a completion threw, there is nothing
  // left to end, and the limit keeps the timer from holding its owner forever.
  static constexpr std::chrono::milliseconds kAgain{50};
  static constexpr int kCancelsMax = 100;

  void Wait(std::shared_ptr<void> owner, Clock::time_point at) {
    timer_.expires_at(at);
    timer_.async_wait([this, owner = std::move(owner),
                       generation = generation_](const boost::system::error_code& error) mutable {
      if (error || generation != generation_)
        return;
      is_expired_ = true;
      boost::system::error_code ignored;
      if (--cancels_left_ == 0) {
        socket_.close(ignored);
        return;
      }
      socket_.cancel(ignored);
      Wait(std::move(owner), Clock::now() + kAgain);
    });
  }

  TcpSocket& socket_;
  boost::asio::steady_timer timer_;
  uint64_t generation_ = 0;
  int cancels_left_ = 0;
  bool is_expired_ = false;
};

}  // namespace flarestack::net
