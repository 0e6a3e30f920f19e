// SPDX-License-Identifier: Apache-2.0
#include "net/grpc/grpc_listener.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <string>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/file/descriptor.h"
#include "base/mutex.h"
#include "base/text/text.h"

namespace flarestack::net {
namespace {

// How long to wait before accepting again when the system is out of descriptors or memory.
constexpr int kPauseMilliseconds = 100;

std::string ErrorText(int error) { return std::generic_category().message(error); }

uint16_t PortOf(int fd) {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                   : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

// Formats the peer as gRPC does for calls, without the scheme. An IPv4 peer of a dual-stack socket
// is shown with its IPv4 address.
std::string PeerText(const sockaddr_storage& from, socklen_t size) {
  char host[NI_MAXHOST] = "";
  char port[NI_MAXSERV] = "";
  if (getnameinfo(reinterpret_cast<const sockaddr*>(&from), size, host, sizeof host, port,
                  sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return "";
  std::string_view text = host;
  constexpr std::string_view kMapped = "::ffff:";
  if (text.starts_with(kMapped) && text.find('.') != std::string_view::npos)
    text.remove_prefix(kMapped.size());
  return ToString(Address{std::string(text), static_cast<uint16_t>(std::stoi(port))});
}

// Returns kUnavailable with the system's reason.
absl::StatusOr<base::Descriptor> Listen(const addrinfo& at, bool is_dual, uint16_t port) {
  base::Descriptor fd(socket(at.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  const int only_v6 = is_dual ? 0 : 1;
  sockaddr_storage address = {};
  std::copy_n(reinterpret_cast<const char*>(at.ai_addr), at.ai_addrlen,
              reinterpret_cast<char*>(&address));
  if (port != 0) {
    if (at.ai_family == AF_INET6)
      reinterpret_cast<sockaddr_in6&>(address).sin6_port = htons(port);
    else
      reinterpret_cast<sockaddr_in&>(address).sin_port = htons(port);
  }
  if (fd.get() < 0 || setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      (at.ai_family == AF_INET6 &&
       setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &only_v6, sizeof only_v6) != 0) ||
      setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0 ||
      bind(fd.get(), reinterpret_cast<sockaddr*>(&address), at.ai_addrlen) != 0 ||
      listen(fd.get(), SOMAXCONN) != 0) {
    return absl::UnavailableError(ErrorText(errno));
  }
  return fd;
}

}  // namespace

struct GrpcListener::Impl {
  // These do not change while the thread runs.
  std::vector<base::Descriptor> listeners;
  uint16_t port = 0;
  GrpcListenerOptions options;
  base::Descriptor events{epoll_create1(EPOLL_CLOEXEC)};
  base::Descriptor stop{eventfd(0, EFD_CLOEXEC)};
  struct Connection {
    base::Descriptor duplicate;
    std::string peer;
  };
  base::Mutex mutex;
  std::unordered_map<int, Connection> open FLARE_GUARDED_BY(mutex);    // by descriptor
  std::unordered_map<std::string, int> peers FLARE_GUARDED_BY(mutex);  // descriptors by peer
  std::atomic<int> connections = 0;
  std::thread thread;

  void Watch(int operation, int fd, uint32_t what) const {
    epoll_event event = {};
    event.events = what;
    event.data.fd = fd;
    epoll_ctl(events.get(), operation, fd, &event);
  }

  void WatchListeners(int operation, uint32_t what) const {
    for (const base::Descriptor& listener : listeners)
      Watch(operation, listener.get(), what);
  }

  bool IsListener(int fd) const {
    return std::ranges::any_of(
        listeners, [fd](const base::Descriptor& listener) { return listener.get() == fd; });
  }

  void Work() {
    std::array<epoll_event, 64> ready = {};
    bool is_paused = false;
    while (true) {
      const int count = epoll_wait(events.get(), ready.data(), static_cast<int>(ready.size()),
                                   is_paused ? kPauseMilliseconds : -1);
      if (std::exchange(is_paused, false))
        WatchListeners(EPOLL_CTL_MOD, EPOLLIN);
      for (int i = 0; i < count; ++i) {
        const int fd = ready[static_cast<size_t>(i)].data.fd;
        if (fd == stop.get())
          return;
        if (!IsListener(fd))
          Forget(fd);
        else if (!Accept(fd))
          is_paused = true;
      }
      if (is_paused)
        WatchListeners(EPOLL_CTL_MOD, 0);
    }
  }

  // Returns false if the system is out of descriptors or memory.
  bool Accept(int listener) {
    sockaddr_storage from = {};
    socklen_t size = sizeof from;
    base::Descriptor fd(
        accept4(listener, reinterpret_cast<sockaddr*>(&from), &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (fd.get() < 0)
      return errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM;
    if (connections.load() >= options.connections_max) {
      if (options.on_rejected != nullptr)
        options.on_rejected();
      return true;
    }
    base::Descriptor copy(fcntl(fd.get(), F_DUPFD_CLOEXEC, 0));
    if (copy.get() < 0)
      return false;
    Watch(EPOLL_CTL_ADD, copy.get(), 0);  // epoll always reports errors and hang-ups
    {
      const base::MutexLock lock(mutex);
      const int key = copy.get();
      std::string peer = PeerText(from, size);
      peers[peer] = key;
      open.emplace(key, Connection{std::move(copy), std::move(peer)});
    }
    connections.fetch_add(1);
    options.hand_over(listener, fd.Release());
    return true;
  }

  void Forget(int fd) {
    const base::MutexLock lock(mutex);
    const auto at = open.find(fd);
    if (at == open.end())
      return;
    if (const auto peer = peers.find(at->second.peer); peer != peers.end() && peer->second == fd)
      peers.erase(peer);
    open.erase(at);
    connections.fetch_sub(1);
  }
};

GrpcListener::GrpcListener(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

absl::StatusOr<std::unique_ptr<GrpcListener>> GrpcListener::Open(const Address& address) {
  // For all interfaces, use one dual-stack socket if the machine supports both families.
  const bool is_any = address.host.empty();
  const std::vector<std::string> hosts =
      is_any ? std::vector<std::string>{"::", "0.0.0.0"} : std::vector{address.host};
  addrinfo wanted = {};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  std::string why;
  auto impl = std::make_unique<Impl>();
  for (const std::string& host : hosts) {
    if (!impl->listeners.empty())
      break;
    if (const int error =
            getaddrinfo(host.c_str(), std::to_string(address.port).c_str(), &wanted, &list);
        error != 0) {
      why = gai_strerror(error);
      continue;
    }
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, freeaddrinfo);
    for (const addrinfo* at = list; at != nullptr; at = at->ai_next) {
      auto fd = Listen(*at, is_any, impl->port);
      if (!fd.ok()) {
        why = std::string(fd.status().message());
        continue;
      }
      impl->port = PortOf(fd->get());
      impl->listeners.push_back(*std::move(fd));
    }
  }
  if (impl->listeners.empty())
    return absl::UnavailableError(base::StrCat("cannot listen on ", ToString(address), ": ", why));
  return std::unique_ptr<GrpcListener>(new GrpcListener(std::move(impl)));
}

GrpcListener::~GrpcListener() { Stop(); }

void GrpcListener::Start(GrpcListenerOptions options) {
  impl_->options = std::move(options);
  impl_->Watch(EPOLL_CTL_ADD, impl_->stop.get(), EPOLLIN);
  impl_->WatchListeners(EPOLL_CTL_ADD, EPOLLIN);
  impl_->thread = std::thread([impl = impl_.get()] { impl->Work(); });
}

void GrpcListener::Stop() {
  if (impl_->thread.joinable()) {
    eventfd_write(impl_->stop.get(), 1);
    impl_->thread.join();
  }
  impl_->listeners.clear();
}

bool GrpcListener::Cut(const std::string& peer) {
  const base::MutexLock lock(impl_->mutex);
  const auto at = impl_->peers.find(peer);
  if (at == impl_->peers.end())
    return false;
  // After a shutdown, gRPC would still read the data that has arrived, which may be megabytes of
  // calls. Connecting to AF_UNSPEC discards that data too, and resets the peer.
  sockaddr nobody = {};
  nobody.sa_family = AF_UNSPEC;
  if (connect(at->second, &nobody, sizeof nobody) != 0)
    shutdown(at->second, SHUT_RDWR);
  impl_->peers.erase(at);
  return true;
}

uint16_t GrpcListener::port() const { return impl_->port; }
int GrpcListener::connections() const { return impl_->connections.load(); }

}  // namespace flarestack::net
