// SPDX-License-Identifier: Apache-2.0
//
// The targets of all kinds of links: counts the stored data of a target, and adds the link if there
// is any.
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
#include "query/data/data_source.h"
#include "query/scope/profile_scope.h"
#include "query/traces/links.h"
#include "store/store.h"

namespace flarestack::query {

using LinkParameters = std::vector<std::pair<std::string, std::string>>;

LinkParameters RangeParameters(const store::TimeRange& range);
LinkParameters SelectorParameters(const std::vector<store::Matcher>& matchers);
LinkParameters Joined(LinkParameters first, const LinkParameters& second);

// Adds the link unless its count is 0.
void AddLink(SignalLink link, Links* links);

// Counts the samples of a scope by type.
absl::StatusOr<std::map<std::string, uint64_t>> CountSamplesByType(const DataSource& source,
                                                                   const ProfileScope& scope,
                                                                   const ReadLimits& limits);

// Samples of a scope by type, each with a link to the flame graph that shows them.
struct ProfileTarget {
  std::string what;
  LinkQuality quality = LinkQuality::kExact;
  LinkParameters parameters;
};
absl::Status AddProfiles(const DataSource& source, const ProfileScope& scope,
                         const ReadLimits& limits, const ProfileTarget& target, Links* links);

absl::Status AddLogs(const DataSource& source, store::LogQuery query, std::string what,
                     LinkQuality quality, const LinkParameters& parameters, Links* links);

// Signals related only by a selector and a time range.
absl::Status AddSpansOfTime(const DataSource& source, const std::vector<store::Matcher>& matchers,
                            const store::TimeRange& range, Links* links);
absl::Status AddMetricsOfTime(const DataSource& source, const std::vector<store::Matcher>& matchers,
                              Links* links);

// Counts exemplars that refer to a trace, by trace; only those of `trace_id` if that is set.
absl::StatusOr<std::map<std::string, uint64_t>> ExemplarTraces(const DataSource& source,
                                                               const store::MetricQuery& query,
                                                               std::string_view trace_id);

}  // namespace flarestack::query
