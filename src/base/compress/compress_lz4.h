// SPDX-License-Identifier: Apache-2.0
//
// The LZ4 frame format, which begins with a magic number. Raw LZ4 blocks do not store their length
// and are not supported.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/compress/compress.h"

namespace flarestack::base {

bool LooksLikeLz4(std::string_view bytes);

// Expands all frames and joins them. Returns the same errors as Gunzip().
absl::StatusOr<std::string> Unlz4(std::string_view bytes, const ExpandLimits& limits);

}  // namespace flarestack::base
