// SPDX-License-Identifier: Apache-2.0
//
// Explains an empty response:
//
//   "empty": {"reason": "...", "excluded_by": ["status=error"], "nearest": "1767225600000000000"}
//
// Drops each condition in turn and names those that exclude every result. If the range has no data,
// finds the nearest time that has some.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status.h"
#include "server/api/endpoint.h"
#include "store/store.h"

namespace flarestack::server::api {

// ns before and after the range
inline constexpr uint64_t kNearestWithin = 7 * 24 * 3'600'000'000'000;

// `Query` is a store query with a range, a limit and an order.
template <typename Query>
struct Condition {
  std::string text;
  std::function<void(Query*)> drop;
};

template <typename Query>
struct EmptySearch {
  Query query;
  std::vector<Condition<Query>> conditions;
  // Returns the time of the first item that a query finds, or nullopt.
  std::function<absl::StatusOr<std::optional<uint64_t>>(const Query&)> first_time;
};

struct EmptyFindings {
  std::vector<std::string> excluded_by;
  bool is_found_without_all = false;
  std::optional<uint64_t> nearest;
};
Json EmptyJson(const EmptyFindings& findings);

// One condition for each matcher of a selector.
template <typename Query>
std::vector<Condition<Query>> MatcherConditions(const Query& query) {
  std::vector<Condition<Query>> conditions;
  for (size_t i = 0; i < query.matchers.size(); ++i) {
    conditions.push_back({store::SelectorText({query.matchers[i]}), [i](Query* changed) {
                            changed->matchers.erase(changed->matchers.begin() +
                                                    static_cast<ptrdiff_t>(i));
                          }});
  }
  return conditions;
}

template <typename Query>
absl::StatusOr<std::optional<uint64_t>> FindNearest(const EmptySearch<Query>& request,
                                                    const Query& query) {
  Query before = query;
  before.order = store::TimeOrder::kNewestFirst;
  before.range = {query.range.from - std::min(query.range.from, kNearestWithin), query.range.from};
  Query after = query;
  after.order = store::TimeOrder::kOldestFirst;
  after.range = {query.range.to,
                 query.range.to + std::min(UINT64_MAX - query.range.to, kNearestWithin)};
  FLARE_ASSIGN(const std::optional<uint64_t> earlier, request.first_time(before));
  FLARE_ASSIGN(const std::optional<uint64_t> later, request.first_time(after));
  if (!earlier.has_value() || !later.has_value())
    return earlier.has_value() ? earlier : later;
  return query.range.from - *earlier <= *later - query.range.to ? earlier : later;
}

template <typename Query>
absl::StatusOr<Json> ExplainEmpty(const EmptySearch<Query>& request) {
  EmptyFindings findings;
  Query bare = request.query;
  bare.limit = 1;
  bare.after.clear();
  const Query whole = bare;
  // Conditions are dropped by position, so start from the back to keep earlier positions valid.
  for (size_t i = request.conditions.size(); i > 0; --i) {
    const Condition<Query>& condition = request.conditions[i - 1];
    Query without = whole;
    condition.drop(&without);
    condition.drop(&bare);
    FLARE_ASSIGN(const std::optional<uint64_t> found, request.first_time(without));
    if (found.has_value())
      findings.excluded_by.insert(findings.excluded_by.begin(), condition.text);
  }
  FLARE_ASSIGN(const std::optional<uint64_t> found, request.first_time(bare));
  findings.is_found_without_all = found.has_value();
  if (findings.excluded_by.empty()) {
    FLARE_ASSIGN(findings.nearest, FindNearest(request, whole));
    if (!findings.nearest.has_value() && !findings.is_found_without_all) {
      FLARE_ASSIGN(findings.nearest, FindNearest(request, bare));
    }
  }
  return EmptyJson(findings);
}

}  // namespace flarestack::server::api
