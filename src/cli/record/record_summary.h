// SPDX-License-Identifier: Apache-2.0
//
// The summary that `record` prints: how much was recorded, and the costliest functions per sample
// type.
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

// Without privileges: how much CPU time no sample covers, and why. Empty with privileges.
std::string MissedText(const record::agent::RecorderStats& stats, uint32_t frequency_hz);

// One table per sample type, separated by empty lines. Omits counts of samples if CPU time shows
// the same, and frames common to every wait.
std::string RecordedTables(const model::Batch& batch, size_t rows_max);

// "6.9s".
std::string SecondsText(std::chrono::steady_clock::duration duration);

}  // namespace flarestack::cli
