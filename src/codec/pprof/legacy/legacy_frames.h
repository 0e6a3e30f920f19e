// SPDX-License-Identifier: Apache-2.0
//
// Frames that the legacy profilers left in their stacks and that nobody wants to see: a legacy file
// has no drop_frames of its own, so the reader gives it the ones for its kind.
#pragma once

#include "codec/pprof/message/profile.h"

namespace flarestack::codec::pprof::legacy {

// Sets drop_frames and keep_frames by the sample types.
void SetFrameFilters(Profile* profile);

}  // namespace flarestack::codec::pprof::legacy
