// SPDX-License-Identifier: Apache-2.0
//
// Small bytes that claim to be large, and the pieces of protobuf to write them with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace flarestack::testing {

// A protobuf field of bytes.
std::string Field(uint32_t number, std::string_view content);

// A message behind its length in four bytes, as the Collector's file exporter writes it.
std::string Frame(std::string_view message);

// One gzip member of `zeros` zero bytes, a multiple of a mebibyte; a thousandth of its size.
std::string GzipOfZeros(uint64_t zeros);

// One zstd frame, which does not say how large it will be.
std::string ZstdOfZeros(uint64_t zeros);

}  // namespace flarestack::testing
