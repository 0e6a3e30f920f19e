// SPDX-License-Identifier: Apache-2.0
//
// The file format of one spooled request: a header with its length and content hash, then the
// request. A file torn by a crash or a power failure is detected.
//
//   "FLRSPL01"  length (u64)  hash (2 x u64)  request          numbers are big endian
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace flarestack::record::exporting {

inline constexpr uint64_t kSpoolHeadBytes = 32;

std::string EncodeSpoolFile(std::string_view request);

// Returns a view into `file`, or kInvalidArgument if it is incomplete or corrupt.
absl::StatusOr<std::string_view> DecodeSpoolFile(std::string_view file);

// "00000000000000000042.otlp": names sort in the order of the numbers.
std::string SpoolFileName(uint64_t sequence);
std::optional<uint64_t> ParseSpoolFileName(std::string_view name);

// A leftover of an interrupted write.
bool IsTemporarySpoolFileName(std::string_view name);

// Writes and syncs a file that only this user can read. It appears under its name once it is
// complete.
absl::Status WriteSpoolFile(const std::string& directory, uint64_t sequence,
                            std::string_view request);
absl::StatusOr<std::string> ReadSpoolFile(const std::string& directory, uint64_t sequence,
                                          uint64_t request_bytes_max);
void RemoveSpoolFile(const std::string& directory, uint64_t sequence);

}  // namespace flarestack::record::exporting
