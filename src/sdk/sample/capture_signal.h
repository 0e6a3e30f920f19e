// SPDX-License-Identifier: Apache-2.0
//
// Takes a sample of the calling thread: walks its stack, adds its span and labels, pushes it.
#pragma once

#include "sdk/sample/sample.h"

namespace flarestack::sdk {

// Maps the memory that walks write to. Returns false if there is none.
bool OpenCapture();

// Async-signal-safe. `tid` and `time_ns` of the facts are filled in. Returns false and counts the
// loss if the sample could not be pushed.
bool CaptureSample(Registers registers, SampleFacts facts);

void ResetCaptureAfterFork();

}  // namespace flarestack::sdk
