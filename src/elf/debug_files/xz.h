// SPDX-License-Identifier: Apache-2.0
//
// Decompresses xz data, with caps on the output and on memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace flarestack::elf {

bool LooksLikeXz(std::string_view bytes);

struct XzLimits {
  uint64_t bytes_max = 256 << 20;
  // For the dictionary, whose size the data specifies: `xz -9` needs 65 MiB.
  uint64_t memory_bytes_max = 80 << 20;
};

// Expands all streams and joins them. Returns kResourceExhausted if a limit is exceeded, and
// kInvalidArgument for corrupt data.
absl::StatusOr<std::string> Unxz(std::string_view bytes, const XzLimits& limits = {});

}  // namespace flarestack::elf
