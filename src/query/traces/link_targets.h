// SPDX-License-Identifier: Apache-2.0
//
// What links of every kind lead to: counts what is stored there, and adds the link if that is not
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "query/scope/profile_scope.h"
#include "query/traces/links.h"
#include "store/store.h"

namespace flarestack::query {

using LinkParameters = std::vector<std::pair<std::string, std::string>>;

LinkParameters RangeParameters(const store::TimeRange& range);
LinkParameters SelectorParameters(const std::vector<store::Matcher>& matchers);
LinkParameters Joined(LinkParameters first, const LinkParameters& second);

// Unless its count is 0.
void AddLink(SignalLink link, Links* links);

// Of a scope, by type.
absl::StatusOr<std::map<std::string, uint64_t>> CountSamplesByType(store::Store* store,
                                                                   const ProfileScope& scope,
                                                                   const ReadLimits& limits);

// Samples of a scope by type, with one link each to the flame graph that shows them.
struct ProfileTarget {
  std::string what;
  LinkQuality quality = LinkQuality::kExact;
  LinkParameters parameters;
};
absl::Status AddProfiles(store::Store* store, const ProfileScope& scope, const ReadLimits& limits,
                         const ProfileTarget& target, Links* links);

absl::Status AddLogs(store::Store* store, store::LogQuery query, std::string what,
                     LinkQuality quality, const LinkParameters& parameters, Links* links);

// Signals that only a selector and a range of time connect.
absl::Status AddSpansOfTime(store::Store* store, const std::vector<store::Matcher>& matchers,
                            const store::TimeRange& range, Links* links);
absl::Status AddMetricsOfTime(store::Store* store, const std::vector<store::Matcher>& matchers,
                              Links* links);

// Exemplars that name a trace, by trace; only of `trace_id` where that is set.
absl::StatusOr<std::map<std::string, uint64_t>> ExemplarTraces(store::Store* store,
                                                               const store::MetricQuery& query,
                                                               std::string_view trace_id);

}  // namespace flarestack::query
