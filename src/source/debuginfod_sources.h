// SPDX-License-Identifier: Apache-2.0
//
// Source files from debuginfod servers, which know them by the build id of the program and the path
// that its DWARF has:
//
//   GET URL/buildid/0123456789abcdef.../source/usr/src/shop/cart.cc
//
// Servers are asked in the order given. One that fails again and again is left alone for a while.
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
  // kNotFound when no server has it, kInvalidArgument for a build id or path that cannot be asked
  // for, kUnavailable when none has it and one could not be asked.
  absl::StatusOr<Found> Get(std::string_view build_id, std::string_view path);

 private:
  struct Server {
    std::string url;
    std::unique_ptr<symbol::CircuitBreaker> circuit;
  };
  absl::StatusOr<std::string> Ask(const Server& server, const std::string& url);

  net::HttpClient client_;
  std::vector<Server> servers_;
};

}  // namespace flarestack::source
