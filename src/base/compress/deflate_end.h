// SPDX-License-Identifier: Apache-2.0
//
// Finds where deflate data (RFC 1951) ends, to the bit, and where its last block begins. That is
// what it takes to append more blocks: clear the mark of the last block, then go on behind it.
//
// It reads the Huffman codes and copies nothing, which takes about a tenth of the time of
// compressing the data.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace flarestack::base {

struct DeflateEnd {
  uint64_t last_block_bit = 0;  // its first bit is the mark
  uint64_t end_bit = 0;         // the first one behind the block
};

// nullopt when the bytes are not whole deflate data. Bytes behind the end are not looked at.
std::optional<DeflateEnd> FindDeflateEnd(std::string_view bytes);

}  // namespace flarestack::base
