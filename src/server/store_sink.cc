// SPDX-License-Identifier: Apache-2.0
#include "server/store_sink.h"

#include "base/status.h"

namespace flarestack::server {

absl::Status StoreSink::Push(const model::Batch& batch) {
  FLARE_RETURN_IF_ERROR(housekeeping_.Admit());
  FLARE_ASSIGN(const store::AppendedProfiles appended, store_.AppendProfiles(batch));
  if (appended.duplicate_profiles > 0)
    counters_.Add("flarestack_store_duplicate_profiles_total", {}, appended.duplicate_profiles);
  return absl::OkStatus();
}

absl::Status StoreSink::Push(const model::TraceBatch& batch) {
  FLARE_RETURN_IF_ERROR(housekeeping_.Admit());
  return store_.AppendTraces(batch);
}

absl::Status StoreSink::Push(const model::LogBatch& batch) {
  FLARE_RETURN_IF_ERROR(housekeeping_.Admit());
  return store_.AppendLogs(batch);
}

absl::Status StoreSink::Push(const model::MetricBatch& batch) {
  FLARE_RETURN_IF_ERROR(housekeeping_.Admit());
  return store_.AppendMetrics(batch);
}

}  // namespace flarestack::server
