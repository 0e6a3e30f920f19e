// SPDX-License-Identifier: Apache-2.0
//
// The parts of the page that are the same for each profile. The page is complete without its script
// (an image in a ticket runs none); the script adds zoom, search and the hint at the pointer.
#pragma once

#include <string_view>

namespace flarestack::codec::svg {

// CSS. Colours of the classes of codec/svg/frame_colours.h, for light and dark pages.
extern const std::string_view kPageStyle;

// JavaScript; stands in a CDATA section, so it must not hold its end mark. It reads the page and
// nothing else.
extern const std::string_view kPageScript;

}  // namespace flarestack::codec::svg
