// SPDX-License-Identifier: Apache-2.0
//
// Whether samples are taken. Async-signal-safe.
#pragma once

namespace flarestack::sdk {

// Nested: samples are taken again after as many calls of Resume().
void Pause();
void Resume();
bool IsPaused();

}  // namespace flarestack::sdk
