// SPDX-License-Identifier: Apache-2.0
#include "sdk/export/http_post.h"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <initializer_list>

namespace flarestack::sdk {
namespace {

constexpr size_t kResponseBytesMax = 64 << 10;

uint64_t MonotonicMs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000 + static_cast<uint64_t>(now.tv_nsec) / 1'000'000;
}

// A connection that fails once its time is over.
class Connection {
 public:
  Connection(uint64_t timeout_ms, const std::function<void()>& on_wait)
      : deadline_ms_(MonotonicMs() + timeout_ms), on_wait_(on_wait) {}
  ~Connection() {
    if (socket_ >= 0)
      close(socket_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool Open(const HttpTarget& target) {
    addrinfo hints = {};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* addresses = nullptr;
    if (const int failure =
            getaddrinfo(target.host.c_str(), target.port.c_str(), &hints, &addresses);
        failure != 0) {
      error_ = "cannot resolve " + target.host + ": " + gai_strerror(failure);
      return false;
    }
    bool is_open = false;
    for (const addrinfo* at = addresses; at != nullptr && !is_open; at = at->ai_next)
      is_open = Connect(*at);
    freeaddrinfo(addresses);
    if (!is_open)
      error_ = "cannot connect to " + target.host + ":" + target.port + ": " + error_;
    return is_open;
  }

  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent > 0)
        bytes.remove_prefix(static_cast<size_t>(sent));
      else if (errno != EINTR && (errno != EAGAIN || !Wait(POLLOUT)))
        return Fail("cannot send");
    }
    return true;
  }

  // Appends what has come; false at the end or on an error.
  bool Receive(std::string* to) {
    std::array<char, 4096> part;
    for (;;) {
      const ssize_t bytes = recv(socket_, part.data(), part.size(), 0);
      if (bytes > 0) {
        to->append(part.data(), static_cast<size_t>(bytes));
        return true;
      }
      if (bytes == 0)
        return Fail("connection closed");
      if (errno != EINTR && (errno != EAGAIN || !Wait(POLLIN)))
        return Fail("cannot receive");
    }
  }

  const std::string& error() const { return error_; }

 private:
  bool Connect(const addrinfo& address) {
    if (socket_ >= 0)
      close(socket_);
    socket_ = socket(address.ai_family, address.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC,
                     address.ai_protocol);
    if (socket_ < 0)
      return Fail("socket");
    if (connect(socket_, address.ai_addr, address.ai_addrlen) == 0)
      return true;
    if (errno != EINPROGRESS || !Wait(POLLOUT))
      return Fail("connect");
    int failure = 0;
    socklen_t bytes = sizeof(failure);
    getsockopt(socket_, SOL_SOCKET, SO_ERROR, &failure, &bytes);
    errno = failure;
    return failure == 0 || Fail("connect");
  }

  bool Wait(short events) {
    constexpr uint64_t kStepMs = 100;
    for (uint64_t now = MonotonicMs(); now < deadline_ms_; now = MonotonicMs()) {
      pollfd one = {.fd = socket_, .events = events, .revents = 0};
      const int ready = poll(&one, 1, static_cast<int>(std::min(kStepMs, deadline_ms_ - now)));
      if (ready > 0)
        return true;
      if (ready < 0 && errno != EINTR)
        return false;
      on_wait_();
    }
    errno = ETIMEDOUT;
    return false;
  }

  bool Fail(const char* what) {
    std::array<char, 128> text = {};
    error_ = std::string(what) + ": " + strerror_r(errno, text.data(), text.size());
    return false;
  }

  const uint64_t deadline_ms_;
  const std::function<void()>& on_wait_;
  int socket_ = -1;
  std::string error_;
};

std::string_view HeaderOf(std::string_view response, std::string_view name) {
  size_t at = response.find("\r\n");
  while (at != std::string_view::npos && at + 2 < response.size()) {
    const std::string_view line = response.substr(at + 2, response.find("\r\n", at + 2) - at - 2);
    if (line.size() > name.size() && line[name.size()] == ':' &&
        strncasecmp(line.data(), name.data(), name.size()) == 0) {
      const size_t value = line.find_first_not_of(' ', name.size() + 1);
      return value == std::string_view::npos ? std::string_view() : line.substr(value);
    }
    at = response.find("\r\n", at + 2);
  }
  return {};
}

HttpResult ReadResult(Connection* connection) {
  std::string response;
  size_t head_end = std::string::npos;
  while (head_end == std::string::npos && response.size() < kResponseBytesMax) {
    if (!connection->Receive(&response))
      return {.error = connection->error()};
    head_end = response.find("\r\n\r\n");
  }
  HttpResult result;
  constexpr std::string_view kStart = "HTTP/1.";
  if (!response.starts_with(kStart) || response.size() < 12)
    return {.error = "the response is not HTTP"};
  std::from_chars(response.data() + 9, response.data() + 12, result.status);
  const std::string_view retry = HeaderOf(response, "Retry-After");
  uint64_t seconds = 0;
  if (std::from_chars(retry.data(), retry.data() + retry.size(), seconds).ec == std::errc())
    result.retry_after_ms = seconds * 1000;
  if (!result.is_ok())
    result.error = "HTTP status " + std::to_string(result.status);
  return result;
}

}  // namespace

std::optional<HttpTarget> ParseHttpUrl(std::string_view url, std::string* why) {
  constexpr std::string_view kScheme = "http://";
  if (!url.starts_with(kScheme)) {
    *why = url.starts_with("https://")
               ? "https is not supported; send to an agent or a Collector over http"
               : "expected http://HOST:PORT/PATH";
    return std::nullopt;
  }
  url.remove_prefix(kScheme.size());
  HttpTarget target;
  const size_t slash = url.find('/');
  target.path = slash == std::string_view::npos ? "/" : std::string(url.substr(slash));
  std::string_view authority = url.substr(0, slash);
  const size_t bracket = authority.find(']');
  const size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  target.port = colon == std::string_view::npos ? "80" : std::string(authority.substr(colon + 1));
  target.host = authority.substr(0, colon);
  if (target.host.size() >= 2 && target.host.front() == '[' && target.host.back() == ']')
    target.host = target.host.substr(1, target.host.size() - 2);
  if (target.host.empty() || target.port.empty()) {
    *why = "expected http://HOST:PORT/PATH";
    return std::nullopt;
  }
  return target;
}

HttpResult HttpPost(const HttpTarget& target,
                    const std::vector<std::pair<std::string, std::string>>& headers,
                    std::string_view body, uint64_t timeout_ms,
                    const std::function<void()>& on_wait) {
  Connection connection(timeout_ms, on_wait);
  if (!connection.Open(target))
    return {.error = connection.error()};
  const bool is_ipv6 = target.host.find(':') != std::string::npos;
  std::string head;
  const auto add = [&](std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts)
      head += part;
  };
  add({"POST ", target.path, " HTTP/1.1\r\nHost: ", is_ipv6 ? "[" : "", target.host,
       is_ipv6 ? "]" : "", ":", target.port,
       "\r\nContent-Type: application/x-protobuf\r\nContent-Length: ", std::to_string(body.size()),
       "\r\nConnection: close\r\n"});
  for (const auto& [name, value] : headers)
    add({name, ": ", value, "\r\n"});
  head += "\r\n";
  if (!connection.Send(head) || !connection.Send(body))
    return {.error = connection.error()};
  return ReadResult(&connection);
}

}  // namespace flarestack::sdk
