// SPDX-License-Identifier: Apache-2.0
//
// The call tree of one sample type of a batch.
#pragma once

#include "absl/status/statusor.h"
#include "base/warnings.h"
#include "model/batch.h"
#include "model/call_tree.h"
#include "model/sample_type.h"

namespace flarestack::codec::svg {

// Samples without a stack are below a frame "[no stack]". Stacks with negative weight cannot be
// drawn and are dropped with a warning. Returns kResourceExhausted if the batch repeats its stacks
// out of proportion.
absl::StatusOr<model::CallTree> BatchTree(const model::Batch& batch,
                                          const model::SampleTypeView& type,
                                          base::Warnings* warnings);

}  // namespace flarestack::codec::svg
