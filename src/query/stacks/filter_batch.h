// SPDX-License-Identifier: Apache-2.0
//
// Applies a filter to a message and returns its stacks, for format writers.
#pragma once

#include "absl/status/statusor.h"
#include "model/batch.h"
#include "query/stacks/filter.h"

namespace flarestack::query {

// Each sample type becomes one profile with one value per stack, as in ToBatch (stack_set_batch.h):
// names, files, lines, binaries and frame types are kept, addresses and other attributes are not.
// Internal frames stay, with their mark, unless a step hides them. Times are those of the first
// profile. Returns a message without profiles if nothing is left.
absl::StatusOr<model::Batch> FilterBatch(const model::Batch& batch, Filter filter);

}  // namespace flarestack::query
