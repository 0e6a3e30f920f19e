// SPDX-License-Identifier: Apache-2.0
#include "server/store_sink.h"

#include "base/status.h"

namespace flarestack::server {

absl::Status StoreSink::Push(const model::Batch& batch) {
  FLARE_ASSIGN(const store::AppendedProfiles appended, store_.AppendProfiles(batch));
  if (appended.duplicate_profiles > 0)
    counters_.Add("flarestack_store_duplicate_profiles_total", {}, appended.duplicate_profiles);
  return absl::OkStatus();
}

}  // namespace flarestack::server
