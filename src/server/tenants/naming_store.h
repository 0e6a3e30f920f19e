// SPDX-License-Identifier: Apache-2.0
//
// A store whose profiles have names. What was sent with addresses alone is kept as it is, and gets
// its names out of symbol tables whenever it is read: a table that comes later names what came
// before it. All else is as in the store behind it.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "store/store.h"
#include "symbol/name_cache.h"
#include "symbol/symbolizer.h"

namespace flarestack::server {

class NamingStore : public store::Store {
 public:
  // The symbolizer must outlive the store.
  NamingStore(std::unique_ptr<store::Store> inner, symbol::Symbolizer* symbolizer)
      : inner_(std::move(inner)), symbolizer_(*symbolizer) {}

  // Looks for the symbols of what has no names, in the background.
  absl::StatusOr<store::AppendedProfiles> AppendProfiles(const model::Batch& batch) override;
  absl::StatusOr<model::Batch> SelectProfiles(const store::ProfileQuery& query) override;
  // Names change answers as well as data does.
  uint64_t Watermark() override { return inner_->Watermark() + symbolizer_.generation(); }

  absl::StatusOr<std::vector<store::Series>> ListSeries(const store::SeriesQuery& query) override {
    return inner_->ListSeries(query);
  }
  absl::StatusOr<std::vector<std::string>> ResourceKeys() override {
    return inner_->ResourceKeys();
  }
  absl::StatusOr<uint64_t> NearestHour(const store::SeriesQuery& query,
                                       uint64_t time_nanos) override {
    return inner_->NearestHour(query, time_nanos);
  }
  absl::Status AppendTraces(const model::TraceBatch& batch) override {
    return inner_->AppendTraces(batch);
  }
  absl::Status AppendLogs(const model::LogBatch& batch) override {
    return inner_->AppendLogs(batch);
  }
  absl::StatusOr<store::AppendedMetrics> AppendMetrics(const model::MetricBatch& batch) override {
    return inner_->AppendMetrics(batch);
  }
  absl::StatusOr<model::TraceBatch> SelectTrace(const store::TraceQuery& query) override {
    return inner_->SelectTrace(query);
  }
  absl::StatusOr<store::SelectedSpans> SelectSpans(const store::SpanQuery& query) override {
    return inner_->SelectSpans(query);
  }
  absl::StatusOr<store::SelectedLogs> SelectLogs(const store::LogQuery& query) override {
    return inner_->SelectLogs(query);
  }
  absl::StatusOr<model::MetricBatch> SelectMetrics(const store::MetricQuery& query) override {
    return inner_->SelectMetrics(query);
  }
  absl::StatusOr<std::vector<store::MetricSeries>> ListMetrics(
      const store::MetricQuery& query) override {
    return inner_->ListMetrics(query);
  }
  absl::Status DropBefore(const store::SignalTimes& oldest) override {
    return inner_->DropBefore(oldest);
  }
  absl::Status Maintain(uint64_t now_nanos) override { return inner_->Maintain(now_nanos); }
  absl::StatusOr<store::StoreStats> Stats() override { return inner_->Stats(); }
  absl::StatusOr<std::vector<store::HourBytes>> BytesByHour() override {
    return inner_->BytesByHour();
  }
  absl::Status AddNote(std::string_view key, std::string_view text) override {
    return inner_->AddNote(key, text);
  }
  absl::StatusOr<std::optional<std::string>> FindNote(std::string_view key) override {
    return inner_->FindNote(key);
  }

 private:
  const std::unique_ptr<store::Store> inner_;
  symbol::Symbolizer& symbolizer_;
  symbol::NameCache names_;
};

}  // namespace flarestack::server
