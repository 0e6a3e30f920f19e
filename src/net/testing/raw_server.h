// SPDX-License-Identifier: Apache-2.0
//
// A server that answers with whatever bytes the test wants, and then may keep silent.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

namespace flarestack::net {

class RawServer {
 public:
  // Called with the head of each request; false when the client is gone.
  using Send = std::function<bool(std::string_view bytes)>;
  using Answer = std::function<void(std::string_view head, const Send& send)>;

  // One connection after the other, on 127.0.0.1. After the answer the connection is closed, or
  // held until the client closes it.
  enum class Afterwards { kClose, kHold };
  RawServer(Answer answer, Afterwards afterwards);
  ~RawServer();
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  uint16_t port() const { return port_; }

 private:
  void Run();
  void Serve(int fd);

  const Answer answer_;
  const Afterwards afterwards_;
  int listener_;
  int wake_[2];  // a pipe whose end says that all is over
  uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace flarestack::net
