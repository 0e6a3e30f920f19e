// SPDX-License-Identifier: Apache-2.0
#include "server/store_sink.h"

#include "base/status.h"

namespace flarestack::server {

absl::StatusOr<store::Store*> StoreSink::StoreWithRoom() const {
  FLARE_RETURN_IF_ERROR(room_.Admit());
  return find_store_();
}

model::Pushed StoreSink::BeyondSeriesLimit(std::string_view signal, std::string_view items,
                                           uint64_t count) {
  if (count == 0)
    return {};
  counters_.Add("flarestack_otlp_items_rejected_total",
                {{"signal", signal}, {"reason", "series_limit"}}, count);
  return {.rejected = count,
          .reason = base::StrCat(count, " ", items,
                                 " rejected: series_limit (they are of new series, and the store "
                                 "has as many as it may have)")};
}

absl::StatusOr<model::Pushed> StoreSink::Push(const model::Batch& batch) {
  FLARE_ASSIGN(store::Store* const store, StoreWithRoom());
  FLARE_ASSIGN(const store::AppendedProfiles appended, store->AppendProfiles(batch));
  if (appended.duplicate_profiles > 0)
    counters_.Add("flarestack_store_duplicate_profiles_total", {}, appended.duplicate_profiles);
  return BeyondSeriesLimit("profiles", "profiles", appended.rejected_profiles);
}

absl::Status StoreSink::Push(const model::TraceBatch& batch) {
  FLARE_ASSIGN(store::Store* const store, StoreWithRoom());
  return store->AppendTraces(batch);
}

absl::Status StoreSink::Push(const model::LogBatch& batch) {
  FLARE_ASSIGN(store::Store* const store, StoreWithRoom());
  return store->AppendLogs(batch);
}

absl::StatusOr<model::Pushed> StoreSink::Push(const model::MetricBatch& batch) {
  FLARE_ASSIGN(store::Store* const store, StoreWithRoom());
  FLARE_ASSIGN(const store::AppendedMetrics appended, store->AppendMetrics(batch));
  return BeyondSeriesLimit("metrics", "points", appended.rejected_points);
}

}  // namespace flarestack::server
