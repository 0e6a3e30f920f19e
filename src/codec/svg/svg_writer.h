// SPDX-License-Identifier: Apache-2.0
//
// Writes a flame graph as one SVG file that needs nothing else: opened in a browser it zooms,
// searches and explains its boxes; shown as an image it is still complete. The root is on top. What
// is narrower than 0.1 px is drawn as "(other)", and the page says how much that is. Nothing in it
// comes from or goes to another place.
#pragma once

#include "codec/format/format.h"

namespace flarestack::codec::svg {

extern const Writer kSvgWriter;

}  // namespace flarestack::codec::svg
