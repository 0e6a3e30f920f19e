// SPDX-License-Identifier: Apache-2.0
//
// A flame graph as bytes, for the UI and for files (docs/formats/flame.md describes them): columns
// of small numbers, which compress well.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "query/flame/flame.h"

namespace flarestack::query {

inline constexpr std::string_view kFlameMediaType = "application/vnd.flarestack.flame.v1";

std::string EncodeFlame(const Flame& flame);

// Returns kInvalidArgument if the bytes are not a valid encoding, or have more than 128 MiB of
// text.
absl::StatusOr<Flame> DecodeFlame(std::string_view bytes);

}  // namespace flarestack::query
