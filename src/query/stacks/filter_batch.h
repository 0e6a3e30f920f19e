// SPDX-License-Identifier: Apache-2.0
//
// A message after a filter: its stacks, for writers of formats.
#pragma once

#include "absl/status/statusor.h"
#include "model/batch.h"
#include "query/stacks/filter.h"

namespace flarestack::query {

// Each sample type becomes one profile, with one value a stack, as ToBatch makes it
// (stack_set_batch.h): names, files, lines and binaries are kept, addresses and attributes are not.
// Times are those of the first profile. A message without profiles when nothing is left.
absl::StatusOr<model::Batch> FilterBatch(const model::Batch& batch, const Filter& filter);

}  // namespace flarestack::query
