// SPDX-License-Identifier: Apache-2.0
//
// What is read where nothing was ever written: answers are those of a store without data.
#pragma once

#include "store/store.h"

namespace flarestack::server {

class EmptyStore : public store::Store {
 public:
  absl::StatusOr<store::AppendedProfiles> AppendProfiles(const model::Batch& /*batch*/) override {
    return NotForWriting();
  }
  absl::Status AppendTraces(const model::TraceBatch& /*batch*/) override { return NotForWriting(); }
  absl::Status AppendLogs(const model::LogBatch& /*batch*/) override { return NotForWriting(); }
  absl::StatusOr<store::AppendedMetrics> AppendMetrics(
      const model::MetricBatch& /*batch*/) override {
    return NotForWriting();
  }

  absl::StatusOr<std::vector<store::Series>> ListSeries(
      const store::SeriesQuery& /*query*/) override {
    return std::vector<store::Series>();
  }
  absl::StatusOr<std::vector<std::string>> ResourceKeys() override {
    return std::vector<std::string>();
  }
  absl::StatusOr<uint64_t> NearestHour(const store::SeriesQuery& /*query*/,
                                       uint64_t /*time_nanos*/) override {
    return 0;
  }
  absl::StatusOr<model::Batch> SelectProfiles(const store::ProfileQuery& /*query*/) override {
    return model::Batch();
  }
  absl::StatusOr<model::TraceBatch> SelectTrace(const store::TraceQuery& /*query*/) override {
    return model::TraceBatch();
  }
  absl::StatusOr<store::SelectedSpans> SelectSpans(const store::SpanQuery& /*query*/) override {
    return store::SelectedSpans();
  }
  absl::StatusOr<store::SelectedLogs> SelectLogs(const store::LogQuery& /*query*/) override {
    return store::SelectedLogs();
  }
  absl::StatusOr<model::MetricBatch> SelectMetrics(const store::MetricQuery& /*query*/) override {
    return model::MetricBatch();
  }
  absl::StatusOr<std::vector<store::MetricSeries>> ListMetrics(
      const store::MetricQuery& /*query*/) override {
    return std::vector<store::MetricSeries>();
  }

  absl::Status DropBefore(const store::SignalTimes& /*oldest*/) override {
    return absl::OkStatus();
  }
  absl::Status Maintain(uint64_t /*now_nanos*/) override { return absl::OkStatus(); }
  absl::StatusOr<store::StoreStats> Stats() override { return store::StoreStats(); }
  absl::StatusOr<std::vector<store::HourBytes>> BytesByHour() override {
    return std::vector<store::HourBytes>();
  }
  absl::Status AddNote(std::string_view /*key*/, std::string_view /*text*/) override {
    return NotForWriting();
  }
  absl::StatusOr<std::optional<std::string>> FindNote(std::string_view /*key*/) override {
    return std::nullopt;
  }
  uint64_t Watermark() override { return 0; }

 private:
  static absl::Status NotForWriting() {
    return absl::FailedPreconditionError("this store is read-only");
  }
};

}  // namespace flarestack::server
