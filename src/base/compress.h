// SPDX-License-Identifier: Apache-2.0
//
// Whole-buffer compression with a cap on what comes out, so that a small file cannot become all of
// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace flarestack::base {

bool LooksLikeGzip(std::string_view bytes);
bool LooksLikeZstd(std::string_view bytes);

// All members of a gzip file, joined. kResourceExhausted when more than `bytes_max` would come out,
// kInvalidArgument with the byte offset of the bad member otherwise.
absl::StatusOr<std::string> Gunzip(std::string_view bytes, uint64_t bytes_max);

// All frames of a zstd file, joined; the same errors.
absl::StatusOr<std::string> Unzstd(std::string_view bytes, uint64_t bytes_max);

// One member without name or time, so that the same input gives the same bytes.
std::string Gzip(std::string_view bytes);

std::string Zstd(std::string_view bytes);

}  // namespace flarestack::base
