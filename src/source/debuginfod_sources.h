// SPDX-License-Identifier: Apache-2.0
//
// Fetches source files from debuginfod servers. A request names the program's build id and the path
// from its DWARF:
//
//   GET URL/buildid/0123456789abcdef.../source/usr/src/shop/cart.cc
//
// Servers are queried in the given order. A circuit breaker skips a server that keeps failing.
// Thread-safe.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "net/http/http_client.h"
#include "symbol/sources/circuit_breaker.h"

namespace flarestack::source {

class DebuginfodSources {
 public:
  DebuginfodSources(const std::vector<std::string>& urls, uint64_t bytes_max);

  struct Found {
    std::string text;
    std::string url;
  };
  // Returns kNotFound if no server has the file, kInvalidArgument if the build id or path is not
  // valid in a request, and kUnavailable if no server has the file and at least one could not be
  // queried.
  absl::StatusOr<Found> Get(std::string_view build_id, std::string_view path);

 private:
  struct Server {
    std::string url;
    std::unique_ptr<symbol::CircuitBreaker> circuit;
  };
  absl::StatusOr<std::string> Fetch(const Server& server, const std::string& url);

  net::HttpClient client_;
  std::vector<Server> servers_;
};

}  // namespace flarestack::source
