// SPDX-License-Identifier: Apache-2.0
//
// Identifies a call path by the names of its functions, the same on every machine and forever, so
// that links to it stay valid: FNV-1a over each name and a zero byte, root first. Simple enough for
// the UI to compute as well.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace flarestack::query {

inline constexpr uint64_t kRootPathHash = 0xcbf29ce484222325;

uint64_t PathHash(uint64_t of_parent, std::string_view name);

std::string PathHashText(uint64_t hash);  // 11 characters of URL-safe Base64
absl::StatusOr<uint64_t> ParsePathHash(std::string_view text);

}  // namespace flarestack::query
