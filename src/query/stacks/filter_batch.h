// SPDX-License-Identifier: Apache-2.0
//
// Applies a filter to a message and returns its stacks, for format writers.
#pragma once

#include "absl/status/statusor.h"
#include "model/batch.h"
#include "query/stacks/filter.h"

namespace flarestack::query {

// Each sample type becomes one profile with one value per stack, as in ToBatch (stack_set_batch.h):
// names, files, lines and binaries are kept, addresses and attributes are not. Times are those of
// the first profile. Returns a message without profiles if nothing is left.
absl::StatusOr<model::Batch> FilterBatch(const model::Batch& batch, const Filter& filter);

}  // namespace flarestack::query
