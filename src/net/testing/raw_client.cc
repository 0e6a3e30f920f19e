// SPDX-License-Identifier: Apache-2.0
#include "net/testing/raw_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/check.h"

namespace flarestack::net {

RawClient::RawClient(uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  FLARE_CHECK(fd_ >= 0, errno);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  FLARE_CHECK(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0, errno);
}

RawClient::~RawClient() { close(fd_); }

bool RawClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0)
      return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

void RawClient::Trickle(std::string_view bytes) {
  constexpr int kPauseMilliseconds = 2;
  pollfd response = {.fd = fd_, .events = POLLIN, .revents = 0};
  while (poll(&response, 1, kPauseMilliseconds) == 0 && Send(bytes)) {
  }
}

void RawClient::CloseSending() { shutdown(fd_, SHUT_WR); }

bool RawClient::ReadSome() {
  char buffer[16384];
  const ssize_t got = recv(fd_, buffer, sizeof buffer, 0);
  was_reset_ = got < 0;
  if (got <= 0)
    return false;
  received_.append(buffer, static_cast<size_t>(got));
  return true;
}

std::string RawClient::ReadAll() {
  while (ReadSome()) {
  }
  return std::move(received_);
}

std::string RawClient::ReadUntil(std::string_view text) {
  size_t found = received_.find(text);
  while (found == std::string::npos && ReadSome())
    found = received_.find(text);
  const size_t end = found == std::string::npos ? received_.size() : found + text.size();
  std::string head = received_.substr(0, end);
  received_.erase(0, end);
  return head;
}

std::string RawClient::ReadBytes(size_t count) {
  while (received_.size() < count && ReadSome()) {
  }
  std::string head = received_.substr(0, count);
  received_.erase(0, head.size());
  return head;
}

std::string Exchange(uint16_t port, std::string_view request) {
  RawClient socket(port);
  socket.Send(request);
  return socket.ReadAll();
}

}  // namespace flarestack::net
