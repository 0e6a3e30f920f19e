// SPDX-License-Identifier: Apache-2.0
#include "net/testing/raw_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/check.h"

namespace flarestack::net {
namespace {

bool SendAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0)
      return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

// Returns false if `wake_fd` is ready.
bool AwaitReadable(int fd, int wake_fd) {
  pollfd fds[2] = {{.fd = fd, .events = POLLIN, .revents = 0},
                   {.fd = wake_fd, .events = POLLIN, .revents = 0}};
  while (poll(fds, 2, -1) < 0 && errno == EINTR) {
  }
  return fds[1].revents == 0;
}

}  // namespace

RawServer::RawServer(Respond respond, Afterwards afterwards)
    : respond_(std::move(respond)),
      afterwards_(afterwards),
      listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  FLARE_CHECK(listener_ >= 0 && pipe2(wake_, O_CLOEXEC) == 0, errno);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  FLARE_CHECK(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0, errno);
  FLARE_CHECK(listen(listener_, 16) == 0, errno);
  socklen_t address_bytes = sizeof address;
  getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &address_bytes);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { Run(); });
}

RawServer::~RawServer() {
  close(wake_[1]);
  thread_.join();
  close(wake_[0]);
  close(listener_);
}

void RawServer::Run() {
  while (AwaitReadable(listener_, wake_[0])) {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0)
      continue;
    Serve(fd);
    close(fd);
  }
}

void RawServer::Serve(int fd) {
  std::string head;
  char buffer[4096];
  while (head.find("\r\n\r\n") == std::string::npos) {
    const ssize_t got = AwaitReadable(fd, wake_[0]) ? recv(fd, buffer, sizeof buffer, 0) : 0;
    if (got <= 0)
      return;
    head.append(buffer, static_cast<size_t>(got));
  }
  respond_(head, [fd](std::string_view bytes) { return SendAll(fd, bytes); });
  if (afterwards_ == Afterwards::kClose)
    return;
  while (AwaitReadable(fd, wake_[0]) && recv(fd, buffer, sizeof buffer, 0) > 0) {
  }
}

}  // namespace flarestack::net
