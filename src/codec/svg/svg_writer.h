// SPDX-License-Identifier: Apache-2.0
//
// Writes a flame graph as one self-contained SVG file: in a browser it can zoom, search and explain
// its boxes; as an image it is still complete. The root is on top. Boxes narrower than 0.1 px are
// drawn as "(other)", and the page shows their share. The file neither loads nor sends external
// data.
#pragma once

#include "codec/format/format.h"

namespace flarestack::codec::svg {

extern const Writer kSvgWriter;

}  // namespace flarestack::codec::svg
