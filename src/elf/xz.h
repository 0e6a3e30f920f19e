// SPDX-License-Identifier: Apache-2.0
//
// Decompression of xz data, with a cap on what comes out and on the memory it takes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace flarestack::elf {

bool LooksLikeXz(std::string_view bytes);

struct XzLimits {
  uint64_t bytes_max = 256 << 20;
  // For the dictionary, whose size the data names: `xz -9` takes 65 MiB.
  uint64_t memory_bytes_max = 80 << 20;
};

// All streams of the data, joined. kResourceExhausted when a limit is met, kInvalidArgument for
// damaged data.
absl::StatusOr<std::string> Unxz(std::string_view bytes, const XzLimits& limits = {});

}  // namespace flarestack::elf
