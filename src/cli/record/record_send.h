// SPDX-License-Identifier: Apache-2.0
//
// What was recorded, to a server of OTLP instead of a file.
#pragma once

#include <string>

#include "model/batch.h"

namespace flarestack::cli {

// Whether `endpoint` can be meant; nobody is asked. Both answer the exit code, after an error was
// reported.
int CheckEndpoint(const std::string& endpoint);
int SendBatch(const model::Batch& batch, const std::string& endpoint);

}  // namespace flarestack::cli
