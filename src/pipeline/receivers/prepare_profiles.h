// SPDX-License-Identifier: Apache-2.0
//
// What a server does with profiles before they are stored, whichever way they came: bad samples are
// taken out, text is mended, attributes are held to their limits, and times that cannot be are set
// to that of arrival.
#pragma once

#include <cstdint>

#include "model/batch.h"
#include "model/profile_sift.h"
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
