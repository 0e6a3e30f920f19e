// SPDX-License-Identifier: Apache-2.0
//
// The source text of the shop's programs, for the lines that profiles point at.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace flarestack::demo {

// `path` is the file of a frame, such as "coupon.cc". The text lives as long as the
// program. Libraries, and parts of the shop off the guide's path, have none.
std::optional<std::string_view> SourceText(std::string_view path);

// Writes all of them below `folder`, where a server finds them by --source-path.
absl::Status WriteSources(const std::string& folder);

}  // namespace flarestack::demo
