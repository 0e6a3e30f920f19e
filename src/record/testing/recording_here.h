// SPDX-License-Identifier: Apache-2.0
//
// Whether tests can record on this host at all.
#pragma once

#include <string>

namespace flarestack::record::agent::testing {

// Empty where recording must work. Else what this host lacks, for GTEST_SKIP: asked of the kernel
// itself and not of our programs, so that programs that do not load are a failure.
std::string WhyNoRecording();

}  // namespace flarestack::record::agent::testing
