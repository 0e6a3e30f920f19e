// SPDX-License-Identifier: Apache-2.0
//
// Validates batches from outside. Afterwards every index points into its table and every text is
// valid UTF-8, so the rest of the program need not check again.
#pragma once

#include "absl/status/status.h"
#include "base/warnings.h"
#include "model/batch.h"

namespace flarestack::model {

// Returns kInvalidArgument with the path of the first bad index
// ("dictionary.stack_table[4].location_indices[2]: 99, but the location_table has 3 entries").
absl::Status ValidateIndices(const Batch& batch);

// Replaces invalid UTF-8 in texts with U+FFFD, as the OTLP working group asks of decoders, and
// reports it to `warnings`. Valid text is neither copied nor changed.
void RepairText(Batch* batch, base::Warnings* warnings);

}  // namespace flarestack::model
