// SPDX-License-Identifier: Apache-2.0
//
// The store as one request sees it: a read ends when the time of the request is up or its client
// has gone away, with what it has then, and takes its memory from the shared budget. Endpoints need
// not ask for that, so none can forget it.
//
// Thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "base/byte_budget.h"
#include "base/mutex.h"
#include "store/store.h"

namespace flarestack::server::api {

class ReadBounds {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Stop { kDeadline, kClientGone };

  // `report` returns false when nobody waits for the answer any more. A null budget grants all.
  ReadBounds(Clock::time_point deadline, std::function<bool(const store::ReadProgress&)> report,
             base::ByteBudget* budget)
      : deadline_(deadline), report_(std::move(report)), lease_(budget) {}

  // As `on_progress` and `try_reserve` of a query.
  bool OnProgress(const store::ReadProgress& progress);
  bool MayHold(uint64_t bytes);

  Clock::time_point deadline() const { return deadline_; }
  // Why a read was stopped; nothing where none was.
  std::optional<Stop> stop() const;

 private:
  const Clock::time_point deadline_;
  const std::function<bool(const store::ReadProgress&)> report_;
  mutable base::Mutex mutex_;
  base::ByteLease lease_ FLARE_GUARDED_BY(mutex_);
  std::optional<Stop> stop_ FLARE_GUARDED_BY(mutex_);
};

// A word for the label of a counter.
std::string_view StopText(ReadBounds::Stop stop);

class BoundedStore final : public store::Store {
 public:
  // Both must outlive the store.
  BoundedStore(store::Store* inner, ReadBounds* bounds) : inner_(*inner), bounds_(*bounds) {}

  absl::StatusOr<model::Batch> SelectProfiles(const store::ProfileQuery& query) override {
    return inner_.SelectProfiles(WithBounds(query));
  }
  absl::StatusOr<model::TraceBatch> SelectTrace(const store::TraceQuery& query) override {
    return inner_.SelectTrace(WithBounds(query));
  }
  absl::StatusOr<store::SelectedSpans> SelectSpans(const store::SpanQuery& query) override {
    return inner_.SelectSpans(WithBounds(query));
  }
  absl::StatusOr<store::SelectedLogs> SelectLogs(const store::LogQuery& query) override {
    return inner_.SelectLogs(WithBounds(query));
  }
  absl::StatusOr<model::MetricBatch> SelectMetrics(const store::MetricQuery& query) override {
    return inner_.SelectMetrics(WithBounds(query));
  }
  absl::StatusOr<std::vector<store::MetricSeries>> ListMetrics(
      const store::MetricQuery& query) override {
    return inner_.ListMetrics(WithBounds(query));
  }

  // Lists of names, which the limit of series bounds.
  absl::StatusOr<std::vector<store::Series>> ListSeries(const store::SeriesQuery& query) override {
    return inner_.ListSeries(query);
  }
  absl::StatusOr<std::vector<std::string>> ResourceKeys() override { return inner_.ResourceKeys(); }
  absl::StatusOr<uint64_t> NearestHour(const store::SeriesQuery& query,
                                       uint64_t time_nanos) override {
    return inner_.NearestHour(query, time_nanos);
  }
  absl::StatusOr<std::optional<std::string>> FindNote(std::string_view key) override {
    return inner_.FindNote(key);
  }
  absl::StatusOr<store::StoreStats> Stats() override { return inner_.Stats(); }
  absl::StatusOr<std::vector<store::HourBytes>> BytesByHour() override {
    return inner_.BytesByHour();
  }
  uint64_t Watermark() override { return inner_.Watermark(); }

  absl::StatusOr<store::AppendedProfiles> AppendProfiles(const model::Batch& batch) override {
    return inner_.AppendProfiles(batch);
  }
  absl::Status AppendTraces(const model::TraceBatch& batch) override {
    return inner_.AppendTraces(batch);
  }
  absl::Status AppendLogs(const model::LogBatch& batch) override {
    return inner_.AppendLogs(batch);
  }
  absl::StatusOr<store::AppendedMetrics> AppendMetrics(const model::MetricBatch& batch) override {
    return inner_.AppendMetrics(batch);
  }
  absl::Status AddNote(std::string_view key, std::string_view text) override {
    return inner_.AddNote(key, text);
  }
  absl::Status DropBefore(const store::SignalTimes& oldest) override {
    return inner_.DropBefore(oldest);
  }
  absl::Status Maintain(uint64_t now_nanos) override { return inner_.Maintain(now_nanos); }

 private:
  // A query that brings bounds of its own keeps them.
  template <typename Query>
  Query WithBounds(Query query) const {
    if (query.on_progress == nullptr)
      query.on_progress = [this](const store::ReadProgress& progress) {
        return bounds_.OnProgress(progress);
      };
    if (query.try_reserve == nullptr)
      query.try_reserve = [this](uint64_t bytes) { return bounds_.MayHold(bytes); };
    return query;
  }

  store::Store& inner_;
  ReadBounds& bounds_;
};

}  // namespace flarestack::server::api
