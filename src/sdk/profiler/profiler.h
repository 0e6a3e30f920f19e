// SPDX-License-Identifier: Apache-2.0
//
// The profiler of this process: there is one. All functions are thread-safe, and none throws.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sdk/config.h"
#include "sdk/export/worker.h"

namespace flarestack::sdk {

enum class StartResult { kStarted, kAlreadyRunning, kDisabled, kFailed };

// `error` gets the reason of kFailed, or what of a started profiler does not work.
StartResult StartProfiler(Config config, std::string* error);

// Stops taking samples and exports what is there. Returns false if that takes longer.
bool StopProfiler(uint64_t timeout_ms);

bool FlushProfiler(uint64_t timeout_ms);

bool IsProfilerRunning();

const WorkerStats& ProfilerStats();

// The index of a label's key, for SetLabel(); -1: there are 256 others.
int AddLabelKey(std::string_view key);

}  // namespace flarestack::sdk
