// SPDX-License-Identifier: Apache-2.0
#include "query/data/data_source.h"

#include "base/status.h"

namespace flarestack::query {

absl::StatusOr<model::Batch> DataSource::SelectProfiles(const store::ProfileQuery& query) const {
  if (store() == nullptr)
    return model::Batch();
  FLARE_ASSIGN(model::Batch batch, store()->SelectProfiles(Bounded(query)));
  if (options_.names != nullptr)
    options_.names->AddTo(&batch);
  return batch;
}

absl::StatusOr<std::vector<store::Series>> DataSource::ListSeries(
    const store::SeriesQuery& query) const {
  if (store() == nullptr)
    return std::vector<store::Series>();
  return store()->ListSeries(query);
}

absl::StatusOr<std::vector<std::string>> DataSource::ResourceKeys() const {
  if (store() == nullptr)
    return std::vector<std::string>();
  return store()->ResourceKeys();
}

absl::StatusOr<uint64_t> DataSource::NearestHour(const store::SeriesQuery& query,
                                                 uint64_t time_nanos) const {
  if (store() == nullptr)
    return 0;
  return store()->NearestHour(query, time_nanos);
}

absl::StatusOr<model::TraceBatch> DataSource::SelectTrace(const store::TraceQuery& query) const {
  if (store() == nullptr)
    return model::TraceBatch();
  return store()->SelectTrace(Bounded(query));
}

absl::StatusOr<store::SelectedSpans> DataSource::SelectSpans(const store::SpanQuery& query) const {
  if (store() == nullptr)
    return store::SelectedSpans();
  return store()->SelectSpans(Bounded(query));
}

absl::StatusOr<store::SelectedLogs> DataSource::SelectLogs(const store::LogQuery& query) const {
  if (store() == nullptr)
    return store::SelectedLogs();
  return store()->SelectLogs(Bounded(query));
}

absl::StatusOr<model::MetricBatch> DataSource::SelectMetrics(
    const store::MetricQuery& query) const {
  if (store() == nullptr)
    return model::MetricBatch();
  return store()->SelectMetrics(Bounded(query));
}

absl::StatusOr<std::vector<store::MetricSeries>> DataSource::ListMetrics(
    const store::MetricQuery& query) const {
  if (store() == nullptr)
    return std::vector<store::MetricSeries>();
  return store()->ListMetrics(Bounded(query));
}

uint64_t DataSource::Watermark() const {
  if (store() == nullptr)
    return 0;
  return store()->Watermark() + (options_.names == nullptr ? 0 : options_.names->generation());
}

}  // namespace flarestack::query
