// SPDX-License-Identifier: Apache-2.0
//
// Converts stacks to a message with one profile and one value per stack, for format writers. It has
// only what stacks have: no addresses, and only the names of binaries.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "model/batch.h"
#include "query/stacks/stack_set.h"

namespace flarestack::query {

absl::StatusOr<model::Batch> ToBatch(const StackSet& set, uint64_t time_unix_nano);

}  // namespace flarestack::query
