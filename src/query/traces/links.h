// SPDX-License-Identifier: Apache-2.0
//
// Links from one object to related objects of all other signals. A link is exact if the objects
// refer to each other by id, or inferred from resource, thread and time, which its quality states.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "query/data/data_source.h"
#include "query/scope/profile_scope.h"

namespace flarestack::query {

enum class LinkQuality { kExact, kInferred };

// An API request that shows the target of a link.
struct LinkedRequest {
  std::string path;  // "/flame"
  std::vector<std::pair<std::string, std::string>> parameters;
};

struct SignalLink {
  std::string to;    // "profile", "trace", "logs", "metric", "diff"
  std::string what;  // as shown to users
  LinkQuality quality = LinkQuality::kExact;
  uint64_t count = 0;      // of samples, spans, records, series
  bool is_capped = false;  // counting stopped here; there are more
  LinkedRequest show;
};

// Where a span spent its time.
struct SpanCost {
  LinkQuality quality = LinkQuality::kExact;
  uint64_t duration_nanos = 0;
  int64_t on_cpu_nanos = 0;
  int64_t off_cpu_nanos = 0;

  int64_t unaccounted_nanos() const {
    return std::max<int64_t>(0,
                             static_cast<int64_t>(duration_nanos) - on_cpu_nanos - off_cpu_nanos);
  }
};

struct Links {
  std::vector<SignalLink> links;
  std::vector<SpanCost> cost;  // one entry for a stored span
};

// Links of a trace, or of one of its spans.
absl::StatusOr<Links> LinksOfSpan(const DataSource& source, const store::SpanRef& span,
                                  const ReadLimits& limits);

// Links of a function in a scope: the traces in which it costs most.
absl::StatusOr<Links> LinksOfFunction(const DataSource& source, const std::string& function,
                                      const ProfileScope& scope, const ReadLimits& limits);

// Links of a time range: all other data in it. With a metric name, also the traces that its
// exemplars refer to.
absl::StatusOr<Links> LinksOfTime(const DataSource& source, const std::string& metric,
                                  const ProfileScope& scope, const ReadLimits& limits);

}  // namespace flarestack::query
