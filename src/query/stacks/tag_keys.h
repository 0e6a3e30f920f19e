// SPDX-License-Identifier: Apache-2.0
//
// The attributes of profiles: of their samples, of themselves, of their resources.
#pragma once

#include <set>
#include <string>

#include "model/batch.h"
#include "model/sample_type.h"

namespace flarestack::query {

// Adds the keys from the profiles of one sample type.
void ListTagKeys(const model::Batch& batch, const model::SampleTypeView& type,
                 std::set<std::string>* keys);

}  // namespace flarestack::query
