// SPDX-License-Identifier: Apache-2.0
//
// What queries read from: a store, with names for its profiles, within the bounds of one request.
//
//   const DataSource source({.store = store, .names = names, .on_progress = ...});
//   FLARE_ASSIGN(const ScopeStacks stacks, ReadStacks(source, scope, limits));
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "query/data/profile_names.h"
#include "store/store.h"

namespace flarestack::query {

struct DataSourceOptions {
  store::Store* store = nullptr;  // null: there is no data
  ProfileNames* names = nullptr;  // null: frames keep their addresses
  // For queries that have none of their own.
  store::OnProgress on_progress = {};
  store::TryReserve try_reserve = {};
};

// As thread-safe as its store. What the options point to must outlive it.
class DataSource {
 public:
  explicit DataSource(DataSourceOptions options) : options_(std::move(options)) {}
  explicit DataSource(store::Store* store) : DataSource(DataSourceOptions{.store = store}) {}

  // See the functions of the same names in store/*_store.h. Without a store they return no data.
  absl::StatusOr<model::Batch> SelectProfiles(const store::ProfileQuery& query) const;
  absl::StatusOr<std::vector<store::Series>> ListSeries(const store::SeriesQuery& query) const;
  absl::StatusOr<std::vector<std::string>> ResourceKeys() const;
  absl::StatusOr<uint64_t> NearestHour(const store::SeriesQuery& query, uint64_t time_nanos) const;
  absl::StatusOr<model::TraceBatch> SelectTrace(const store::TraceQuery& query) const;
  absl::StatusOr<store::SelectedSpans> SelectSpans(const store::SpanQuery& query) const;
  absl::StatusOr<store::SelectedLogs> SelectLogs(const store::LogQuery& query) const;
  absl::StatusOr<model::MetricBatch> SelectMetrics(const store::MetricQuery& query) const;
  absl::StatusOr<std::vector<store::MetricSeries>> ListMetrics(
      const store::MetricQuery& query) const;

  // A number that changes whenever a query result may have changed: new data, or new names.
  uint64_t Watermark() const;

  store::Store* store() const { return options_.store; }

 private:
  template <typename Query>
  Query Bounded(Query query) const {
    if (query.on_progress == nullptr)
      query.on_progress = options_.on_progress;
    if (query.try_reserve == nullptr)
      query.try_reserve = options_.try_reserve;
    return query;
  }

  const DataSourceOptions options_;
};

}  // namespace flarestack::query
