// SPDX-License-Identifier: Apache-2.0
//
// The handler of the profiling signal.
#pragma once

#include <cstdint>

namespace flarestack::sdk {

// Returns false if the kernel rejects the handler.
bool InstallCpuHandler(int number);

void SetCpuPeriod(uint64_t period_ns);

// The value that our timers send along: signals of other origin are not samples.
void* CpuTimerMark();

}  // namespace flarestack::sdk
