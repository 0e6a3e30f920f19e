// SPDX-License-Identifier: Apache-2.0
//
// One request in a file: a head with its length and its content hash, and the request. A file that
// a crash or a power cut has left torn does not pass for one.
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

// A view into `file`. kInvalidArgument for what is not whole.
absl::StatusOr<std::string_view> DecodeSpoolFile(std::string_view file);

// "00000000000000000042.otlp": the order of names is that of numbers.
std::string SpoolFileName(uint64_t sequence);
std::optional<uint64_t> ParseSpoolFileName(std::string_view name);

// What a write that was cut off may leave behind.
bool IsTemporarySpoolFileName(std::string_view name);

// Appears under its name when it is complete, and is for this user alone to read. Not flushed to
// the disk: a torn file is found by its hash.
absl::Status WriteSpoolFile(const std::string& directory, uint64_t sequence,
                            std::string_view request);
absl::StatusOr<std::string> ReadSpoolFile(const std::string& directory, uint64_t sequence,
                                          uint64_t request_bytes_max);
void RemoveSpoolFile(const std::string& directory, uint64_t sequence);

}  // namespace flarestack::record::exporting
