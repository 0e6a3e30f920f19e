// SPDX-License-Identifier: Apache-2.0
//
// From one object to those of every other signal that have to do with it: exactly, because they
// name each other by ids, or by inference from resource, thread and time, which is then said.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "query/scope/profile_scope.h"

namespace flarestack::query {

enum class LinkQuality { kExact, kInferred };

// A question to the API: what shows the other end.
struct ApiQuestion {
  std::string path;  // "/flame"
  std::vector<std::pair<std::string, std::string>> parameters;
};

struct SignalLink {
  std::string to;    // "profile", "trace", "logs", "metric", "diff"
  std::string what;  // as people are told
  LinkQuality quality = LinkQuality::kExact;
  uint64_t count = 0;      // of samples, spans, records, series
  bool is_capped = false;  // counting stopped there; there are more
  ApiQuestion show;
};

// Where the time of a span went.
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
  std::vector<SpanCost> cost;  // of a span that is stored: one
};

// Of a trace, or of a span of it.
absl::StatusOr<Links> LinksOfSpan(store::Store* store, const store::SpanRef& span,
                                  const ReadLimits& limits);

// Of a function in a scope: the traces that it costs most in.
absl::StatusOr<Links> LinksOfFunction(store::Store* store, const std::string& function,
                                      const ProfileScope& scope, const ReadLimits& limits);

// Of a stretch of time: what else there is of it. With the name of a metric, also the traces that
// its exemplars name.
absl::StatusOr<Links> LinksOfTime(store::Store* store, const std::string& metric,
                                  const ProfileScope& scope, const ReadLimits& limits);

}  // namespace flarestack::query
