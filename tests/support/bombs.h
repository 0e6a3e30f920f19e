// SPDX-License-Identifier: Apache-2.0
//
// Small inputs that expand or claim to be large, and the protobuf pieces to build them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace flarestack::testing {

// A protobuf field of bytes.
std::string Field(uint32_t number, std::string_view content);

// A message prefixed by its length in four bytes, as the Collector's file exporter writes it.
std::string Frame(std::string_view message);

// One gzip member of `zeros` zero bytes, a multiple of a mebibyte. Compresses to a thousandth.
std::string GzipOfZeros(uint64_t zeros);

// One zstd frame that does not declare its content size.
std::string ZstdOfZeros(uint64_t zeros);

}  // namespace flarestack::testing
