// SPDX-License-Identifier: Apache-2.0
//
// Prepares profiles for storage, however they were received: drops invalid samples, repairs text,
// applies the attribute limits, and replaces impossible times with the time of arrival.
#pragma once

#include <cstdint>

#include "model/batch.h"
#include "model/validation/profile_sift.h"
#include "pipeline/receivers/attribute_limits.h"

namespace flarestack::pipeline {

struct PreparedProfiles {
  model::SiftedProfiles sifted;
  AttributeLosses losses;
  uint64_t restamped = 0;  // times
};

PreparedProfiles PrepareProfiles(const AttributeLimits& limits, uint64_t now_nanos,
                                 model::Batch* batch);

}  // namespace flarestack::pipeline
