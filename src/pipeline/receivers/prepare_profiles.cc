// SPDX-License-Identifier: Apache-2.0
#include "pipeline/receivers/prepare_profiles.h"

#include "base/warnings.h"
#include "codec/otlp/profiles/reserved_entries.h"
#include "model/validation/validate.h"

namespace flarestack::pipeline {

PreparedProfiles PrepareProfiles(const AttributeLimits& limits, uint64_t now_nanos,
                                 model::Batch* batch) {
  PreparedProfiles prepared;
  base::Warnings ignored;
  codec::otlp::EnsureReservedEntries(&batch->dictionary);
  prepared.sifted = model::SiftProfiles(batch);
  model::RepairText(batch, &ignored);
  prepared.losses = LimitAttributes(limits, batch);
  prepared.restamped = model::RestampAbsurdTimes(batch, now_nanos);
  return prepared;
}

}  // namespace flarestack::pipeline
