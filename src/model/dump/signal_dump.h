// SPDX-License-Identifier: Apache-2.0
//
// Batches of traces, logs and metrics as text, for tests; see model/dump/dump.h for the idea. Two
// batches mean the same exactly when their dumps are equal, except for the sign and payload of a
// NaN. Ids are shown as received, including zeros and wrong lengths.
#pragma once

#include <string>

#include "model/log.h"
#include "model/metric.h"
#include "model/trace.h"

namespace flarestack::model {

std::string Dump(const TraceBatch& batch);
std::string Dump(const LogBatch& batch);
std::string Dump(const MetricBatch& batch);

}  // namespace flarestack::model
