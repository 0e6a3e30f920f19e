// SPDX-License-Identifier: Apache-2.0
//
// A request as a handler sees it, and its answer. Plain values, no library behind them.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_budget.h"
#include "net/http/http_peer.h"
#include "net/principal.h"

namespace flarestack::net {

// In the order of the wire. A name may occur more than once; names are compared without case.
class HttpHeaders {
 public:
  using Entry = std::pair<std::string, std::string>;

  HttpHeaders() = default;
  HttpHeaders(std::initializer_list<Entry> entries) : entries_(entries) {}

  void Add(std::string name, std::string value) {
    entries_.emplace_back(std::move(name), std::move(value));
  }
  void Set(std::string_view name, std::string value);  // replaces all of that name

  // The first of that name; the view lives until the headers change.
  std::optional<std::string_view> Find(std::string_view name) const;
  std::string_view Get(std::string_view name) const { return Find(name).value_or(""); }

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  size_t size() const { return entries_.size(); }

 private:
  std::vector<Entry> entries_;
};

bool EqualsIgnoringCase(std::string_view a, std::string_view b);

// Names and values of a query, or the named parts of a path, percent-decoded.
class HttpParameters {
 public:
  void Add(std::string name, std::string value) {
    entries_.emplace_back(std::move(name), std::move(value));
  }
  std::optional<std::string_view> Find(std::string_view name) const;
  std::vector<std::string_view> FindAll(std::string_view name) const;

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  size_t size() const { return entries_.size(); }

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

struct HttpRequest {
  std::string method;
  std::string target;  // as sent
  std::string path;    // percent-decoded, without the query
  HttpParameters query;
  HttpParameters path_parameters;  // of the {name} parts of the route's pattern
  HttpHeaders headers;
  std::string body;             // Content-Encoding is already removed
  std::string remote_address;   // HOST:PORT of the peer
  std::string tls_client_name;  // of a verified client certificate, or empty
  Principal principal;

  // What the body holds of the shared budget. A handler that keeps the body for longer than its own
  // run takes the lease along with it.
  base::ByteLease lease;

  // A handler that has not begun to work by then answers 503 instead.
  std::chrono::steady_clock::time_point begin_by = std::chrono::steady_clock::time_point::max();

  HttpPeer* peer = nullptr;  // as long as the handler runs; null where there is no connection
};

struct HttpResponse {
  int status = 200;
  HttpHeaders headers;
  std::string body;
};

// "Not Found" for 404; "Unknown" for what HTTP does not name.
std::string_view HttpReason(int status);

}  // namespace flarestack::net
