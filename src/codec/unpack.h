// SPDX-License-Identifier: Apache-2.0
//
// The layer of compression around an input. Besides whole files in gzip or zstd there are those of
// the Collector's file exporter, which compresses each message on its own and writes its length in
// front of it.
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

// Removes one layer; bytes without one come back as they are. Messages that were compressed one by
// one keep their framing, with the length of what came out. kInvalidArgument when the compressed
// bytes are bad, kResourceExhausted when more than the limit comes out.
absl::StatusOr<UnpackedInput> Unpack(std::string bytes, const base::ExpandLimits& limits);
absl::StatusOr<UnpackedInput> Unpack(std::string bytes, uint64_t bytes_max);

}  // namespace flarestack::codec
