// SPDX-License-Identifier: Apache-2.0
//
// What `record` prints at its end: how much was recorded, and for each sample type the functions
// that cost most.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "model/batch.h"
#include "record/agent/recorder.h"

namespace flarestack::cli {

// "recorded ./prices in 6.9s: 427 samples, 3 lost".
std::string RecordedText(const std::string& what, std::chrono::steady_clock::duration took,
                         const record::agent::RecorderStats& stats);

// One table for each sample type, with a line between them. Counts of samples have none where CPU
// time says the same. Frames that every wait has are left out.
std::string RecordedTables(const model::Batch& batch, size_t rows_max);

// "6.9s".
std::string SecondsText(std::chrono::steady_clock::duration duration);

}  // namespace flarestack::cli
