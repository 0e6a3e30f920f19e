// SPDX-License-Identifier: Apache-2.0
//
// The source text of the shop's programs, for the lines that profiles refer to.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace flarestack::demo {

// `path` is the file of a frame, such as "coupon.cc". The text lives as long as the program.
// Returns nullopt for libraries, and for parts of the shop that the guide does not visit.
std::optional<std::string_view> SourceText(std::string_view path);

// Writes all sources below `folder`, where a server finds them with --source-path.
absl::Status WriteSources(const std::string& folder);

}  // namespace flarestack::demo
