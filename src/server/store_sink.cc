// SPDX-License-Identifier: Apache-2.0
#include "server/store_sink.h"

#include "base/status.h"

namespace flarestack::server {

absl::StatusOr<store::Store*> StoreSink::StoreWithRoom() const {
  FLARE_RETURN_IF_ERROR(room_.Admit());
  return find_store_();
}

absl::StatusOr<model::PushedProfiles> StoreSink::Push(const model::Batch& batch) {
  FLARE_ASSIGN(store::Store* const store, StoreWithRoom());
  FLARE_ASSIGN(const store::AppendedProfiles appended, store->AppendProfiles(batch));
  if (appended.duplicate_profiles > 0)
    counters_.Add("flarestack_store_duplicate_profiles_total", {}, appended.duplicate_profiles);
  if (appended.rejected_profiles == 0)
    return model::PushedProfiles();
  counters_.Add("flarestack_otlp_items_rejected_total",
                {{"signal", "profiles"}, {"reason", "series_limit"}}, appended.rejected_profiles);
  return model::PushedProfiles{
      .rejected = appended.rejected_profiles,
      .reason = base::StrCat(appended.rejected_profiles,
                             " profiles rejected: series_limit (they are of new series, and the "
                             "store has as many as it may have)")};
}

absl::Status StoreSink::Push(const model::TraceBatch& batch) {
  FLARE_ASSIGN(store::Store* const store, StoreWithRoom());
  return store->AppendTraces(batch);
}

absl::Status StoreSink::Push(const model::LogBatch& batch) {
  FLARE_ASSIGN(store::Store* const store, StoreWithRoom());
  return store->AppendLogs(batch);
}

absl::Status StoreSink::Push(const model::MetricBatch& batch) {
  FLARE_ASSIGN(store::Store* const store, StoreWithRoom());
  return store->AppendMetrics(batch);
}

}  // namespace flarestack::server
