// SPDX-License-Identifier: Apache-2.0
//
// Compressors of formats that the program only reads.
#pragma once

#include <string>
#include <string_view>

namespace flarestack::base {

std::string SnappyBlock(std::string_view bytes);
// As golang/snappy writes it: a chunk that does not shrink stays plain.
std::string SnappyFrames(std::string_view bytes);
std::string Lz4(std::string_view bytes);

}  // namespace flarestack::base
