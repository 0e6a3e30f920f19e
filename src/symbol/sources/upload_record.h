// SPDX-License-Identifier: Apache-2.0
//
// The record stored beside an uploaded file, as readable text:
//
//   sha256 9f86d081884c7d65...
//   bytes 123456
//   time 1767225600000000000
//   name /usr/bin/cart
//   id gnu 0123456789abcdef...
//   id htlhash 00112233...
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "symbol/table/table_format.h"

namespace flarestack::symbol {

struct UploadRecord {
  std::string sha256;  // lower-case hexadecimal
  uint64_t bytes = 0;
  uint64_t time_nanos = 0;  // when it was completed, since the epoch
  std::string name;         // given by the sender; without line breaks
  std::vector<FileId> ids;  // best first
};

std::string FormatUploadRecord(const UploadRecord& record);

// Skips lines with unknown keywords. Returns kInvalidArgument if hash, size or ids are missing.
absl::StatusOr<UploadRecord> ParseUploadRecord(std::string_view text);

}  // namespace flarestack::symbol
