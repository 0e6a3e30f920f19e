// SPDX-License-Identifier: Apache-2.0
//
// Converts stacks to a message with one profile and one value per stack, for format writers. It has
// only what stacks have: no addresses, and only the names of binaries.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "model/batch.h"
#include "query/stacks/filter.h"
#include "query/stacks/stack_set.h"

namespace flarestack::query {

absl::StatusOr<model::Batch> ToBatch(const StackSet& set, uint64_t time_unix_nano);

// Applies a filter to a message and returns its stacks, for format writers. Each sample type
// becomes one profile with one value per stack, as in ToBatch: names, files, lines, binaries and
// frame types are kept, addresses and other attributes are not. Internal frames stay, with their
// mark, unless a step hides them. Times are those of the first profile. Returns a message without
// profiles if nothing is left.
absl::StatusOr<model::Batch> FilterBatch(const model::Batch& batch, Filter filter);

}  // namespace flarestack::query
