// SPDX-License-Identifier: Apache-2.0
//
// Accepts the connections of the gRPC server and passes them on, up to a maximum number: gRPC 1.51
// has no such limit.
//
// gRPC does not report when it closes a connection. So the listener keeps a duplicate of each
// socket. On it, the kernel reports that both directions were shut down, which gRPC does before it
// closes. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "net/address.h"

namespace flarestack::net {

struct GrpcListenerOptions {
  int connections_max = 1024;
  std::function<void(int listener_fd, int fd)> hand_over;  // takes ownership of `fd`
  std::function<void()> on_rejected;  // a connection beyond the limit was closed
};

class GrpcListener {
 public:
  // Connections stay in the backlog until Start().
  static absl::StatusOr<std::unique_ptr<GrpcListener>> Open(const Address& address);
  ~GrpcListener();

  void Start(GrpcListenerOptions options);
  void Stop();  // stops accepting; existing connections continue

  // Cuts the connection of this peer ("127.0.0.1:4711"). Returns false if there is none.
  bool Cut(const std::string& peer);

  uint16_t port() const;
  int connections() const;

 private:
  struct Impl;
  explicit GrpcListener(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace flarestack::net
