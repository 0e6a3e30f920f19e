// SPDX-License-Identifier: Apache-2.0
//
// Removes the compression of an input. An input is either a whole file in gzip or zstd, or a file
// of the Collector's file exporter, which compresses each message separately and writes its length
// before it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/compress/compress.h"

namespace flarestack::codec {

struct UnpackedInput {
  std::string bytes;
  std::string_view compression;  // "gzip", "zstd" or empty
};

bool LooksCompressed(std::string_view bytes);

// Removes one layer of compression; returns uncompressed bytes unchanged. Messages that were
// compressed separately keep their framing, with the decompressed length. Returns kInvalidArgument
// if the compressed bytes are malformed, kResourceExhausted if the output exceeds the limit.
absl::StatusOr<UnpackedInput> Unpack(std::string bytes, const base::ExpandLimits& limits);
absl::StatusOr<UnpackedInput> Unpack(std::string bytes, uint64_t bytes_max);

}  // namespace flarestack::codec
