// SPDX-License-Identifier: Apache-2.0
//
// The profiles message has no version field, but its field numbers changed in place: up to
// opentelemetry-proto 1.7, in 1.8, in 1.9 and in 1.10. layout_fit.h detects the layout of a message
// from its wire data.
#pragma once

#include <string_view>

namespace flarestack::codec::otlp {

// Oldest first.
enum class Layout {
  kUpTo15,  // tables inside each profile
  k16,      // tables next to the resources
  k17,      // a dictionary; samples point into location_indices
  k18,      // stacks; comments in the profile
  k19,      // sample: values = 2, attributes = 3, link = 4
  k110,     // 1.10 and later: attributes = 2, link = 3, values = 4
};

// "1.10 or later", "1.8", ...
std::string_view LayoutName(Layout layout);

}  // namespace flarestack::codec::otlp
