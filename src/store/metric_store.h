// SPDX-License-Identifier: Apache-2.0
//
// The metric points of a store.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "model/metric.h"
#include "store/matcher.h"
#include "store/read_query.h"

namespace flarestack::store {

struct AppendedMetrics {
  uint64_t rejected_points = 0;  // of new series beyond the series limit
};

struct MetricQuery {
  std::string name;               // empty: all
  std::vector<Matcher> matchers;  // on attributes of the resource and of the points
  TimeRange range;
  size_t limit = 100'000;  // points
  TryReserve try_reserve = {};
  OnProgress on_progress = {};  // parts are not known
};

// A series of metric points: a metric of one resource, with the attributes of its points.
struct MetricSeries {
  std::string name;
  std::string unit;
  std::string description;
  model::MetricKind kind = model::MetricKind::kNone;
  model::Temporality temporality = model::Temporality::kUnspecified;
  bool is_monotonic = false;
  std::vector<std::pair<std::string, std::string>> resource_attributes;  // as text
  std::vector<std::pair<std::string, std::string>> point_attributes;
};

class MetricStore {
 public:
  virtual ~MetricStore() = default;

  // Returns once the batch is durable. Items must be valid (model/validation/item_check.h).
  // Duplicates are stored once: a point is identified by its series and time.
  virtual absl::StatusOr<AppendedMetrics> AppendMetrics(const model::MetricBatch& batch) = 0;

  // Returns items ordered by time, except that items of one resource and scope are grouped. Empty
  // if nothing matches.
  virtual absl::StatusOr<model::MetricBatch> SelectMetrics(const MetricQuery& query) = 0;

  // The matching series, by name, at most `limit`. Ignores the range.
  virtual absl::StatusOr<std::vector<MetricSeries>> ListMetrics(const MetricQuery& query) = 0;
};

}  // namespace flarestack::store
