// SPDX-License-Identifier: Apache-2.0
//
// A server that responds with arbitrary bytes, and may then stay silent.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

namespace flarestack::net {

class RawServer {
 public:
  // Respond is called with the head of each request. Send returns false if the client is gone.
  using Send = std::function<bool(std::string_view bytes)>;
  using Respond = std::function<void(std::string_view head, const Send& send)>;

  // Serves one connection at a time on 127.0.0.1. After the response it closes the connection, or
  // holds it until the client closes it.
  enum class Afterwards { kClose, kHold };
  RawServer(Respond respond, Afterwards afterwards);
  ~RawServer();
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  uint16_t port() const { return port_; }

 private:
  void Run();
  void Serve(int fd);

  const Respond respond_;
  const Afterwards afterwards_;
  int listener_;
  int wake_[2];  // a pipe whose closing signals the end
  uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace flarestack::net
