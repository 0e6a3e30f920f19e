// SPDX-License-Identifier: Apache-2.0
//
// The guided tour of the demo: from the metric to the line of code, and on to the user's own
// program. Each step is a page with real ids and fixed times.
#pragma once

#include "demo/timeline.h"
#include "server/ui/guide.h"

namespace flarestack::cli {

server::Guide MakeDemoGuide(const demo::Timeline& timeline);

}  // namespace flarestack::cli
