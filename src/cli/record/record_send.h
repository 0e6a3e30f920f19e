// SPDX-License-Identifier: Apache-2.0
//
// Sends a recording to an OTLP server instead of a file.
#pragma once

#include <string>

#include "model/batch.h"

namespace flarestack::cli {

// CheckEndpoint validates `endpoint` without connecting. Both return the exit code and report
// errors.
int CheckEndpoint(const std::string& endpoint);
int SendBatch(const model::Batch& batch, const std::string& endpoint);

}  // namespace flarestack::cli
