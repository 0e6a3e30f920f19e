// SPDX-License-Identifier: Apache-2.0
//
// A request as seen by a handler, and its response. Plain values that depend on no HTTP library.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/memory/byte_budget.h"
#include "net/http/http_peer.h"
#include "net/principal.h"

namespace flarestack::net {

// Headers in wire order. A name may occur more than once; names are case-insensitive.
class HttpHeaders {
 public:
  using Entry = std::pair<std::string, std::string>;

  HttpHeaders() = default;
  HttpHeaders(std::initializer_list<Entry> entries) : entries_(entries) {}

  void Add(std::string name, std::string value) {
    entries_.emplace_back(std::move(name), std::move(value));
  }
  void Set(std::string_view name, std::string value);  // replaces all with that name

  // Returns the first with that name; the view is valid until the headers change.
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
  HttpParameters path_parameters;  // from the {name} parts of the route's pattern
  HttpHeaders headers;
  std::string body;             // with Content-Encoding already decoded
  std::string remote_address;   // HOST:PORT of the peer
  std::string tls_client_name;  // of a verified client certificate, or empty
  Principal principal;

  // The body's share of the shared budget. A handler that keeps the body after it returns must keep
  // the lease with it.
  base::ByteLease lease;

  // A handler that has not started by this time returns 503 instead.
  std::chrono::steady_clock::time_point begin_by = std::chrono::steady_clock::time_point::max();

  HttpPeer* peer = nullptr;  // valid while the handler runs; null without a connection
};

struct HttpResponse {
  int status = 200;
  HttpHeaders headers;
  std::string body;
};

// Returns "Not Found" for 404, and "Unknown" for a status that HTTP does not name.
std::string_view HttpReason(int status);

}  // namespace flarestack::net
