// SPDX-License-Identifier: Apache-2.0
//
// Unwanted frames that the legacy profilers left in their stacks. A legacy file has no drop_frames,
// so the reader sets the expressions for its kind.
#pragma once

#include "codec/pprof/message/profile.h"

namespace flarestack::codec::pprof::legacy {

// Sets drop_frames and keep_frames depending on the sample types.
void SetFrameFilters(Profile* profile);

}  // namespace flarestack::codec::pprof::legacy
