// SPDX-License-Identifier: Apache-2.0
//
// The gate for batches from outside: after it, every index points into its table and every text is
// valid UTF-8, and the rest of the program need not ask again.
#pragma once

#include "absl/status/status.h"
#include "base/warnings.h"
#include "model/batch.h"

namespace flarestack::model {

// kInvalidArgument that names the first bad index by its path
// ("dictionary.stack_table[4].location_indices[2]: 99, but the location_table has 3 entries").
absl::Status ValidateIndices(const Batch& batch);

// Replaces invalid UTF-8 in texts by U+FFFD, as the OTLP working group asks of decoders, and says
// so in `warnings`. Text that is valid is neither copied nor touched.
void RepairText(Batch* batch, base::Warnings* warnings);

}  // namespace flarestack::model
