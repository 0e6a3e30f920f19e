// SPDX-License-Identifier: Apache-2.0
#include "net/http/http_server.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <exception>
#include <list>
#include <thread>
#include <utility>

#include "base/status.h"
#include "base/text/text.h"
#include "net/http/http_connection.h"

namespace flarestack::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// Out of file descriptors, the next accept would fail immediately too.
constexpr std::chrono::milliseconds kAcceptPause{100};

class Listener : public std::enable_shared_from_this<Listener> {
 public:
  Listener(asio::io_context& io, std::shared_ptr<HttpCore> core)
      : io_(io),
        acceptor_(asio::make_strand(io)),
        pause_(acceptor_.get_executor()),
        core_(std::move(core)) {}

  error_code Open(const tcp::endpoint& endpoint, bool is_dual) {
    error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error)
      acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error && endpoint.address().is_v6())
      acceptor_.set_option(asio::ip::v6_only(!is_dual), error);
    if (!error)
      acceptor_.bind(endpoint, error);
    if (!error)
      acceptor_.listen(asio::socket_base::max_listen_connections, error);
    return error;
  }

  uint16_t port() const { return acceptor_.local_endpoint().port(); }

  void Accept() {
    acceptor_.async_accept(
        asio::make_strand(io_),
        [self = shared_from_this(), this](const error_code& error, tcp::socket socket) {
          if (!acceptor_.is_open())
            return;
          if (!error) {
            StartHttpConnection(std::move(socket), core_);
            return Accept();
          }
          pause_.expires_after(kAcceptPause);
          pause_.async_wait([self, this](const error_code& pause_error) {
            if (!pause_error && acceptor_.is_open())
              Accept();
          });
        });
  }

  void Close() {
    asio::post(acceptor_.get_executor(), [self = shared_from_this(), this] {
      error_code ignored;
      acceptor_.close(ignored);
      pause_.cancel();
    });
  }

 private:
  asio::io_context& io_;
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  const std::shared_ptr<HttpCore> core_;
};

}  // namespace

struct HttpServer::Impl {
  asio::io_context io;
  asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
  std::shared_ptr<HttpCore> core;
  std::vector<std::shared_ptr<Listener>> listeners;
  std::vector<std::thread> threads;
  uint16_t port = 0;

  // Resolves a host to its endpoints. All interfaces are one dual-stack socket if possible.
  absl::StatusOr<std::vector<tcp::endpoint>> Resolve(const Address& address) {
    if (address.host.empty())
      return std::vector<tcp::endpoint>{{tcp::v6(), address.port}, {tcp::v4(), address.port}};
    error_code error;
    tcp::resolver resolver(io);
    const auto results =
        resolver.resolve(address.host, std::to_string(address.port), tcp::resolver::passive, error);
    if (error) {
      return absl::InvalidArgumentError(
          base::StrCat("cannot listen on ", ToString(address), ": ", error.message()));
    }
    std::vector<tcp::endpoint> endpoints;
    for (const auto& result : results)
      endpoints.push_back(result.endpoint());
    return endpoints;
  }

  // A machine without IPv6 still has localhost: one usable endpoint is enough.
  absl::Status Listen(const Address& address) {
    FLARE_ASSIGN(auto endpoints, Resolve(address));
    error_code last_error;
    for (tcp::endpoint& endpoint : endpoints) {
      if (port != 0)
        endpoint.port(port);
      auto listener = std::make_shared<Listener>(io, core);
      if (last_error = listener->Open(endpoint, address.host.empty()); last_error)
        continue;
      port = listener->port();
      listeners.push_back(std::move(listener));
      if (address.host.empty())
        break;
    }
    if (!listeners.empty())
      return absl::OkStatus();
    return absl::UnavailableError(
        base::StrCat("cannot listen on ", ToString(address), ": ", last_error.message()));
  }

  void Run() {
    while (true) {
      try {
        io.run();
        return;
      } catch (const std::exception&) {
        // Asio passes on exceptions from completions. The only one expected is running out of
        // memory for one connection; that connection is gone by now, and the others continue.
      }
    }
  }

  void Close() {
    for (const auto& listener : listeners)
      listener->Close();
    core->BeginStop();
  }
};

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(HttpServerOptions options) {
  if (options.worker_threads < 1 || options.io_threads < 1 ||
      options.limits.bytes_per_second_min == 0) {
    return absl::InvalidArgumentError(
        "the numbers of threads and the minimum rate must be positive");
  }
  try {
    auto impl = std::make_unique<Impl>();
    const Address listen = options.listen;
    const int thread_count = options.io_threads;
    impl->core = std::make_shared<HttpCore>(std::move(options));
    FLARE_RETURN_IF_ERROR(impl->Listen(listen));
    for (const auto& listener : impl->listeners)
      listener->Accept();
    for (int i = 0; i < thread_count; ++i)
      impl->threads.emplace_back([raw = impl.get()] { raw->Run(); });
    return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
  } catch (const std::exception& e) {
    return absl::InternalError(base::StrCat("cannot start the HTTP server: ", e.what()));
  }
}

HttpServer::~HttpServer() {
  impl_->Close();
  impl_->core->AbortAll();
  impl_->core->WaitUntilEmpty();
  impl_->work.reset();
  for (std::thread& thread : impl_->threads)
    thread.join();
}

uint16_t HttpServer::port() const { return impl_->port; }

absl::Status HttpServer::Stop(std::chrono::milliseconds grace) {
  impl_->Close();
  if (impl_->core->WaitUntilEmpty(grace))
    return absl::OkStatus();
  const Stats cut = stats();
  impl_->core->AbortAll();
  return absl::DeadlineExceededError(base::StrCat(cut.requests_in_flight, " requests on ",
                                                  cut.connections,
                                                  " connections did not finish in time"));
}

HttpServer::Stats HttpServer::stats() const { return impl_->core->stats(); }

}  // namespace flarestack::net
