// SPDX-License-Identifier: Apache-2.0
#include "net/http/http_router.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace flarestack::net {
namespace {

std::vector<std::string> SplitPath(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    path.remove_prefix(1);  // its slash
    const std::string_view part = path.substr(0, path.find('/'));
    parts.emplace_back(part);
    path.remove_prefix(part.size());
  }
  return parts;
}

bool IsName(std::string_view part) { return part.starts_with('{') && part.ends_with('}'); }

// Sorts literal parts before {name} before `*`.
int Looseness(std::string_view part) { return part == "*" ? 2 : IsName(part) ? 1 : 0; }

bool IsMoreLiteral(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const size_t shared = std::min(a.size(), b.size());
  for (size_t i = 0; i < shared; ++i) {
    if (Looseness(a[i]) != Looseness(b[i]))
      return Looseness(a[i]) < Looseness(b[i]);
  }
  return a.size() > b.size();
}

std::optional<HttpParameters> MatchParts(const std::vector<std::string>& pattern,
                                         const std::vector<std::string>& path) {
  HttpParameters parameters;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == "*") {
      std::string rest;
      for (size_t k = i; k < path.size(); ++k)
        rest += (k == i ? "" : "/") + path[k];
      parameters.Add("*", std::move(rest));
      return parameters;
    }
    if (i >= path.size())
      return std::nullopt;
    if (IsName(pattern[i]) && !path[i].empty()) {
      parameters.Add(pattern[i].substr(1, pattern[i].size() - 2), path[i]);
    } else if (pattern[i] != path[i]) {
      return std::nullopt;
    }
  }
  return pattern.size() == path.size() ? std::optional(parameters) : std::nullopt;
}

}  // namespace

HttpRouter::HttpRouter(std::vector<HttpRoute> routes) {
  for (HttpRoute& route : routes) {
    std::vector<std::string> parts = SplitPath(route.pattern);
    rows_.push_back({std::move(route), std::move(parts)});
  }
  std::stable_sort(rows_.begin(), rows_.end(),
                   [](const Row& a, const Row& b) { return IsMoreLiteral(a.parts, b.parts); });
}

HttpRouter::Match HttpRouter::Find(std::string_view method, std::string_view path) const {
  if (!path.starts_with('/'))
    return {};
  const std::vector<std::string> parts = SplitPath(path);
  Match match;
  std::set<std::string> allowed;
  bool is_fallback = false;
  for (const Row& row : rows_) {
    auto parameters = MatchParts(row.parts, parts);
    if (!parameters.has_value())
      continue;
    allowed.insert(row.route.method);
    const bool is_exact = row.route.method == method;
    const bool is_get_for_head = method == "HEAD" && row.route.method == "GET";
    if ((is_exact && (match.route == nullptr || is_fallback)) ||
        (is_get_for_head && match.route == nullptr)) {
      is_fallback = !is_exact;
      match.route = &row.route;
      match.path_parameters = *std::move(parameters);
    }
  }
  if (allowed.contains("GET"))
    allowed.insert("HEAD");
  if (!allowed.empty())
    allowed.insert("OPTIONS");
  match.allowed.assign(allowed.begin(), allowed.end());
  return match;
}

}  // namespace flarestack::net
