// SPDX-License-Identifier: Apache-2.0
//
// process.executable.build_id.htlhash (head, tail, length): identifies a file by its content
// without reading all of it. It is the first 16 bytes of the SHA-256 over the first 4096 bytes, the
// last 4096 bytes and the length as eight bytes, most significant first. A shorter file enters the
// hash twice in full. A stripped file and its debug file have different hashes.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace flarestack::elf {

// 32 lower-case hexadecimal digits.
std::string HtlHash(std::string_view file_bytes);

// Reads at most 8 KiB. Does not change the descriptor's position. It must be a regular file.
absl::StatusOr<std::string> HtlHashOfDescriptor(int fd);

absl::StatusOr<std::string> HtlHashOfFile(const std::string& path);

}  // namespace flarestack::elf
