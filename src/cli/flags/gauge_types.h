// SPDX-License-Identifier: Apache-2.0
//
// Sample types that this process averages over time (model/gauge_type.h), besides those it knows.
#pragma once

namespace flarestack::cli {

// Takes the names of $FLARESTACK_GAUGE_TYPE, separated by commas. Before other threads start.
void ReadGaugeTypes();

}  // namespace flarestack::cli
