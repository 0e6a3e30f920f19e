// SPDX-License-Identifier: Apache-2.0
//
// The parts of the page that are the same for each profile. The page is complete without its script
// (an image in a ticket runs no script); the script adds zoom, search and the hint at the pointer.
#pragma once

#include <string_view>

namespace flarestack::codec::svg {

// CSS: the colours of the classes in codec/svg/frame_colours.h, for light and dark pages.
extern const std::string_view kPageStyle;

// JavaScript. It is in a CDATA section, so it must not contain the end mark. It reads only the
// page.
extern const std::string_view kPageScript;

}  // namespace flarestack::codec::svg
