// SPDX-License-Identifier: Apache-2.0
//
// Additional sample types that this process averages over time (model/gauge_type.h).
#pragma once

namespace flarestack::cli {

// Reads comma-separated names from $FLARESTACK_GAUGE_TYPE. Call before starting threads.
void ReadGaugeTypes();

}  // namespace flarestack::cli
