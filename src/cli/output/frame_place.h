// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "query/stacks/frame_table.h"

namespace flarestack::cli {

// The place of a frame, for the end of a row: "coupon.cc:88", "[libc.so.6]", or empty.
std::string FramePlace(const query::FrameTable& table, query::FrameId id);

}  // namespace flarestack::cli
