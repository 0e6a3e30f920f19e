// SPDX-License-Identifier: Apache-2.0
//
// Measures how large compressed data expands, without keeping the output: the data is decoded into
// a small buffer that is overwritten. When memory is short, this decides whether a retry can
// succeed.
#pragma once

#include <cstdint>
#include <string_view>

namespace flarestack::base {

// True if the data expands to more than `bytes` bytes. Corrupt data is measured up to the
// corruption, so a false claim of a large size does not count. A zstd frame with a window above 8
// MiB, which RFC 9659 forbids for HTTP, is not measured and counts as small.
bool GzipExceeds(std::string_view packed, uint64_t bytes);
bool DeflateExceeds(std::string_view packed, uint64_t bytes);  // zlib or raw, as Inflate()
bool ZstdExceeds(std::string_view packed, uint64_t bytes);
bool Lz4Exceeds(std::string_view packed, uint64_t bytes);
bool SnappyExceeds(std::string_view packed, uint64_t bytes);  // either format, as Unsnappy()

}  // namespace flarestack::base
