// SPDX-License-Identifier: Apache-2.0
//
// Accepts the connections of the gRPC server and hands them over, at most so many at a time: gRPC
// 1.51 has no such limit of its own.
//
// gRPC does not say when it closes a connection. So a duplicate of each socket is kept, on which
// the system reports that both directions were shut, which gRPC does before it closes. Thread-safe.
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
  std::function<void(int listener_fd, int fd)> hand_over;  // who owns `fd` from then on
  std::function<void()> on_refused;                        // one beyond the limit, which was closed
};

class GrpcListener {
 public:
  // Connections wait until Start().
  static absl::StatusOr<std::unique_ptr<GrpcListener>> Open(const Address& address);
  ~GrpcListener();

  void Start(GrpcListenerOptions options);
  void Stop();  // accepts nothing more; what was handed over goes on

  // Ends the connection of this peer ("127.0.0.1:4711"), if there is one. True when it did.
  bool Cut(const std::string& peer);

  uint16_t port() const;
  int connections() const;

 private:
  struct Impl;
  explicit GrpcListener(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace flarestack::net
