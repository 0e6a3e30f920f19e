// SPDX-License-Identifier: Apache-2.0
//
// Stacks as a message of one profile, with one value a stack, for writers of formats. It has what
// stacks have: no addresses, and of binaries the name alone.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "model/batch.h"
#include "query/stacks/stack_set.h"

namespace flarestack::query {

absl::StatusOr<model::Batch> ToBatch(const StackSet& set, uint64_t time_unix_nano);

}  // namespace flarestack::query
