// SPDX-License-Identifier: Apache-2.0
//
// The frame format of LZ4, which begins with a magic number. Bare LZ4 blocks do not say how long
// they are and are not read.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/compress/compress.h"

namespace flarestack::base {

bool LooksLikeLz4(std::string_view bytes);

// All frames, joined. The errors are those of Gunzip().
absl::StatusOr<std::string> Unlz4(std::string_view bytes, const ExpandLimits& limits);

}  // namespace flarestack::base
