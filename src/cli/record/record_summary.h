// SPDX-License-Identifier: Apache-2.0
//
// What `record` prints at its end: how much was recorded, and for each sample type the functions
// that cost most.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "model/batch.h"
#include "record/agent/recorder.h"

namespace flarestack::cli {

// "recorded ./prices in 6.9s: 427 samples, 3 lost".
std::string RecordedText(const std::string& what, std::chrono::steady_clock::duration took,
                         const record::agent::RecorderStats& stats);

// Without privileges: how much of the processor time is in no sample, and why. Empty else.
std::string MissedText(const record::agent::RecorderStats& stats, uint32_t frequency_hz);

// One table for each sample type, with a line between them. Counts of samples have none where CPU
// time says the same. Frames that every wait has are left out.
std::string RecordedTables(const model::Batch& batch, size_t rows_max);

// "6.9s".
std::string SecondsText(std::chrono::steady_clock::duration duration);

}  // namespace flarestack::cli
