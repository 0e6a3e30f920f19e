// SPDX-License-Identifier: Apache-2.0
//
// Finds where deflate data (RFC 1951) ends, to the bit, and where its last block begins. To append
// more blocks, clear the final-block bit and continue at the end.
//
// The scan reads the Huffman codes and copies nothing, which takes about a tenth of the time of
// compressing the data.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace flarestack::base {

struct DeflateEnd {
  uint64_t last_block_bit = 0;  // its first bit is the final-block bit
  uint64_t end_bit = 0;         // the first bit after the block
};

// Returns nullopt if the bytes are not complete deflate data. Ignores bytes after the end.
std::optional<DeflateEnd> FindDeflateEnd(std::string_view bytes);

}  // namespace flarestack::base
