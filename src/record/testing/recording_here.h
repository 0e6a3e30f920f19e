// SPDX-License-Identifier: Apache-2.0
//
// Reports whether tests can record on this host at all.
#pragma once

#include <string>

namespace flarestack::record::agent::testing {

// Returns an empty string if recording must work, or the reason it cannot, for GTEST_SKIP. Probes
// the kernel directly, so that BPF programs that fail to load are still a test failure.
std::string WhyNoRecording();

}  // namespace flarestack::record::agent::testing
