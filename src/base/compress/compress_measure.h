// SPDX-License-Identifier: Apache-2.0
//
// How large compressed data really is, found without holding it: the data is decoded into a small
// buffer that is overwritten. Answers whether trying again later can help when memory is short.
#pragma once

#include <cstdint>
#include <string_view>

namespace flarestack::base {

// True when more than `bytes` bytes come out. Damaged data counts up to the damage, so that what is
// large by its own claim alone is not called large. A zstd frame whose window is above 8 MiB, which
// RFC 9659 rules out for HTTP, is not measured and counts as small.
bool GzipExceeds(std::string_view packed, uint64_t bytes);
bool DeflateExceeds(std::string_view packed, uint64_t bytes);  // zlib or bare, as Inflate()
bool ZstdExceeds(std::string_view packed, uint64_t bytes);
bool Lz4Exceeds(std::string_view packed, uint64_t bytes);
bool SnappyExceeds(std::string_view packed, uint64_t bytes);  // either format, as Unsnappy()

}  // namespace flarestack::base
