// SPDX-License-Identifier: Apache-2.0
//
// The routing table of a server. A pattern is a path; `{name}` matches one part of it and `*` at
// the end matches any rest:
//
//   /v1/profiles     /api/v1/profiles/{id}     /assets/*
//
// A literal part wins over {name}, and {name} over `*`, regardless of the order of the table.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http/http_message.h"

namespace flarestack::net {

// Runs on a worker thread and may block. It may move the body and the lease out of the request.
using HttpHandler = std::function<HttpResponse(HttpRequest& request)>;

struct HttpRoute {
  std::string method;
  std::string pattern;
  HttpHandler handler;
  Role needed = Role::kNone;
  // Memory needed to handle a body of this size, including the body; null: only the body.
  std::function<uint64_t(const HttpRequest& request, uint64_t body_bytes)> memory_need;
  // A probe runs on a separate thread and does not count as a request in flight, so that it gets a
  // response while all workers are busy. Its handler must be quick.
  bool is_probe = false;
};

class HttpRouter {
 public:
  explicit HttpRouter(std::vector<HttpRoute> routes);

  struct Match {
    const HttpRoute* route = nullptr;  // null: 404 if `allowed` is empty, else 405
    HttpParameters path_parameters;
    std::vector<std::string> allowed;  // the methods of this path, sorted, each once
  };

  // HEAD falls back to the route of GET.
  Match Find(std::string_view method, std::string_view path) const;

 private:
  struct Row {
    HttpRoute route;
    std::vector<std::string> parts;
  };
  std::vector<Row> rows_;  // the most literal pattern first
};

}  // namespace flarestack::net
